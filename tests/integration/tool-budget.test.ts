import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';
import { toolDefinition } from '../../src/mcp/offered-tools.ts';

/** Every agent pays for names, descriptions and inputs on every turn; a tool has about 650 bytes of them. */
const MOST_READ_BYTES = 17_000;
/** With what only programs read: the schemas of answers, and hints. */
const MOST_BYTES = 34_500;

test('the definitions of all tools together are within their budget', () => {
  const tools = composedCapabilities().flatMap(({ operations }) => operations.filter(({ mcp }) => mcp));

  const definitions = tools.map((tool) => toolDefinition(tool, true));

  assert(tools.length > 0);
  const read = bytesOf(definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
  const all = bytesOf(definitions);
  assert(read <= MOST_READ_BYTES, `${read} bytes that models read`);
  assert(all <= MOST_BYTES, `${all} bytes`);
});

function bytesOf(definitions: readonly object[]): number {
  return Buffer.byteLength(definitions.map((each) => JSON.stringify(each)).join(''));
}
