import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';
import { toolDefinition } from '../../src/mcp/offered-tools.ts';

/** Every agent pays for them on every turn. */
const MOST_BYTES = 15_000;

test('the descriptions of all tools together are within their budget', () => {
  const tools = composedCapabilities().flatMap(({ operations }) => operations.filter(({ mcp }) => mcp));

  const bytes = tools.map((tool) => Buffer.byteLength(JSON.stringify(toolDefinition(tool, true))));

  assert(tools.length > 0);
  const sum = bytes.reduce((all, each) => all + each, 0);
  assert(sum <= MOST_BYTES, `${sum} bytes`);
});
