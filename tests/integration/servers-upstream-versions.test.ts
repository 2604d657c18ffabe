import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { createRemoteTransport } from '../../src/servers/upstream/remote-transport.ts';
import type { Upstream } from '../../src/servers/upstream/upstream.ts';
import {
  connectTo,
  connectToProgram,
  createRecordingListener,
  NEVER,
  type RecordingListener,
  startHttpProgram,
} from '../support/servers/upstream-connection.ts';

const PROGRAM = 'upstream-sdk1.ts';
const SAMPLED = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } };

/** Old versions of the SDK that are still in use, with the newest protocol version of each. */
const VERSIONS = { '1-0': '2024-11-05', '1-12': '2025-03-26', '1-17': '2025-06-18', '1-32': '2025-11-25' };

describe('a server made with an old SDK', () => {
  for (const [version, protocol] of Object.entries(VERSIONS)) {
    test(`${version} over stdio`, async () => {
      const listener = createRecordingListener();
      await using connected = await connectToProgram(PROGRAM, ['--version', version], { listener });

      assert.equal(connected.upstream.protocolVersion, protocol);
      await checkAll(connected.upstream, listener);
    });
  }

  for (const version of ['1-12', '1-32'] as const) {
    test(`${version} over Streamable HTTP`, async () => {
      await using server = await startHttpProgram(PROGRAM, ['--version', version, '--transport', 'http']);
      const listener = createRecordingListener();
      const transport = createRemoteTransport({ type: 'http', url: server.url });

      const upstream = await connectTo({ transport, listener });

      assert.equal(upstream.protocolVersion, VERSIONS[version]);
      await checkAll(upstream, listener);
      await upstream.close();
    });

    for (const type of ['sse', 'http'] as const) {
      test(`${version} over HTTP with server-sent events, configured as ${type}`, async () => {
        await using server = await startHttpProgram(PROGRAM, ['--version', version, '--transport', 'sse']);
        const listener = createRecordingListener();

        const upstream = await connectTo({ transport: createRemoteTransport({ type, url: server.url }), listener });

        await checkAll(upstream, listener);
        await upstream.close();
      });
    }
  }
});

async function checkAll(upstream: Upstream, listener: RecordingListener): Promise<void> {
  const progress: JsonObject[] = [];
  const call = (tool: string, args: JsonObject = {}) =>
    upstream.request(
      'tools/call',
      { name: `${tool}_s0`, arguments: args },
      {
        signal: NEVER,
        timeoutMs: 60_000,
        onProgress: (params) => progress.push(params),
        onQuestion: async () => SAMPLED,
      },
    );

  assert.equal((await upstream.list('tools', NEVER)).length, 4);
  assert.equal((await upstream.list('resources', NEVER)).length, 1);
  assert.deepEqual(await upstream.list('resourceTemplates', NEVER), []);
  const echoes = await Promise.all(['a', 'b', 'c'].map((text) => call('echo', { text })));
  assert.deepEqual(
    echoes.map(({ content }) => content),
    ['a', 'b', 'c'].map((text) => [{ type: 'text', text }]),
  );
  assert.deepEqual((await call('sample')).content, [{ type: 'text', text: 'sampled=hello' }]);
  await call('progress');
  assert.deepEqual(progress, [{ progress: 1, total: 1 }]);
  await call('grow');
  assert.equal(await listener.first('list'), 'tools');
  await upstream.ping(NEVER);
}
