import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createFixtureRegistry } from '../../tests/conformance/fixture-registry.ts';
import { serveFixtureStreams } from '../../tests/support/mcp/fixture-streams.ts';
import { request } from '../../tests/support/mcp/rpc-message.ts';
import { createSlowTool } from '../../tests/support/mcp/slow-tool.ts';
import type { ToolEntry } from './registry.ts';

const WAIT = { name: 'wait', arguments: {} };

describe('a client that has disconnected', () => {
  test('is not waited for: its requests are cancelled', async (context) => {
    const { client, output, over, slow } = await serve(context);
    await client.initialize();
    client.send(request('tools/call', WAIT, 1));
    await slow.begun(1);

    output.destroy();
    await over;

    assert.equal(slow.aborted(), 1);
  });

  test('is not waited for even where it disconnects while its last requests are answered', async (context) => {
    const { client, output, over, slow } = await serve(context);
    await client.initialize();
    client.send(request('tools/call', WAIT, 1));
    await slow.begun(1);

    client.end();
    await turn();
    output.destroy();
    await over;

    assert.equal(slow.aborted(), 1);
  });
});

test('a client that does not read is not read from until it has, and then misses nothing', async (context) => {
  const { client, input, output } = await serve(context, [megabyteTool()]);
  await client.initialize();
  output.pause();
  const ids = Array.from({ length: 40 }, (_, index) => `call ${index}`);
  const call = (id: string) => `${JSON.stringify(request('tools/call', { name: 'megabyte', arguments: {} }, id))}\n`;
  client.sendText(ids.map(call).join(''));
  while (output.writableLength < 20 * 1024 * 1024) await turn();

  const paused = once(input, 'pause');
  client.sendText(call('one more'));
  await paused;
  output.resume();
  const answers = await Promise.all([...ids, 'one more'].map((id) => client.messages.answerTo(id)));

  assert.ok(answers.every(({ result }) => result));
  assert.ok((await client.call('ping')).result);
});

async function serve(context: TestContext, tools: readonly ToolEntry[] = []) {
  const slow = createSlowTool();
  const served = await serveFixtureStreams(createFixtureRegistry([slow.entry, ...tools]).registry);
  context.after(async () => {
    slow.release();
    await served.close();
  });
  return { ...served, slow };
}

function megabyteTool(): ToolEntry {
  return {
    definition: { name: 'megabyte', description: 'Says much.', inputSchema: { type: 'object' } },
    call: async () => ({ content: [{ type: 'text', text: 'x'.repeat(1024 * 1024) }] }),
  };
}
