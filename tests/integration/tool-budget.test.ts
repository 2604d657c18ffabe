import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';
import { localPrincipal } from '../../src/domain/principal.ts';
import { offeredTools } from '../../src/mcp/offered-tools.ts';
import { silentLog } from '../support/operation-context.ts';
import { passThroughPipeline } from '../support/pass-through-pipeline.ts';

/** Every agent pays for names, descriptions and inputs on every turn; a tool has about 650 bytes of them. */
const MOST_READ_BYTES = 28_500;
/** With what only programs read: the schemas of answers, and hints. */
const MOST_BYTES = 61_000;
/** Only callers that may manage other servers see these tools, too. */
const MOST_READ_BYTES_OF_MANAGERS = 48_500;

/** As if everything were configured: all tools are listed. */
const capabilities = composedCapabilities().map(({ guide: _, ...rest }) => rest);
const offered = offeredTools(capabilities, false, { pipeline: passThroughPipeline, log: silentLog });

test('the definitions of all tools together are within their budget', () => {
  const definitions = offered.tools(localPrincipal()).map(({ definition }) => definition);

  assert(definitions.length > 0);
  const read = bytesRead(definitions);
  const all = bytesOf(definitions);
  assert(read <= MOST_READ_BYTES, `${read} bytes that models read`);
  assert(all <= MOST_BYTES, `${all} bytes`);
});

test('and so are those of callers that manage other servers', () => {
  const definitions = offered.tools(localPrincipal(['servers:manage'])).map(({ definition }) => definition);

  const read = bytesRead(definitions);
  assert(read <= MOST_READ_BYTES_OF_MANAGERS, `${read} bytes that models read`);
});

function bytesRead(
  definitions: readonly { name: string; description?: string | undefined; inputSchema: object }[],
): number {
  return bytesOf(definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
}

function bytesOf(definitions: readonly object[]): number {
  return Buffer.byteLength(definitions.map((each) => JSON.stringify(each)).join(''));
}
