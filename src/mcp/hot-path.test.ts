import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { createFixtureRegistry } from '../../tests/conformance/fixture-registry.ts';
import { initializeParams, request } from '../../tests/support/mcp/rpc-message.ts';
import { createSlowTool } from '../../tests/support/mcp/slow-tool.ts';
import { smallOffer } from '../../tests/support/mcp/small-offer.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { localPrincipal } from '../domain/principal.ts';
import type { RequestMessage } from './envelope.ts';
import { createHotPath } from './hot-path.ts';
import { introductionOf } from './introduction.ts';
import type { Registry } from './registry.ts';
import { connectSdk } from './sdk-connection.ts';
import { SESSION_VERSIONS } from './versions.ts';

const small = smallOffer().registry;
const fixture = createFixtureRegistry().registry;

describe('the hot path answers as the SDK does', () => {
  for (const version of [...SESSION_VERSIONS, '2026-07-28', '1999-01-01']) {
    test(`an initialize of ${version}`, async () => {
      await assertSame(small, version, request('initialize', initializeParams(version), 1));
    });
  }

  const requests: [string, Registry, object][] = [
    ['a ping', small, request('ping', undefined, 2)],
    ['tools/list', small, request('tools/list', {}, 2)],
    ['tools/list with a wrong cursor', small, request('tools/list', { cursor: 'x' }, 2)],
    ['tools/list with a cursor that is no text', small, request('tools/list', { cursor: 5 }, 2)],
    ['resources/list', small, request('resources/list', undefined, 2)],
    ['resources/templates/list', small, request('resources/templates/list', {}, 2)],
    ['prompts/list', small, request('prompts/list', { _meta: { progressToken: 1 } }, 2)],
    ['a call', small, request('tools/call', { name: 'echo', arguments: { value: 'x', times: 2 } }, 'a')],
    ['a call of a tool that does not exist', small, request('tools/call', { name: 'constructor' }, 2)],
    ['a call with wrong arguments', small, request('tools/call', { name: 'echo', arguments: { times: 7 } }, 2)],
    ['a call that fails', small, request('tools/call', { name: 'fail', arguments: { how: 'gently' } }, 2)],
    ['a call with a bug', small, request('tools/call', { name: 'fail', arguments: { how: 'badly' } }, 2)],
    [
      'a call that reports progress',
      small,
      request('tools/call', { name: 'fail', arguments: { how: 'gently' }, _meta: { progressToken: 'p' } }, 2),
    ],
    ...['test_simple_text', 'test_image_content', 'test_audio_content', 'test_multiple_content_types'].map(
      (name): [string, Registry, object] => [name, fixture, request('tools/call', { name }, 2)],
    ),
  ];
  for (const [title, registry, message] of requests) {
    test(title, async () => {
      await assertSame(registry, '2025-11-25', message);
    });
  }

  test('content that an old version does not know', async () => {
    await assertSame(fixture, '2024-11-05', request('tools/call', { name: 'test_audio_content' }, 2));
  });
});

describe('the hot path leaves to the SDK', () => {
  const others: [string, Registry, object][] = [
    ['other methods', small, request('prompts/get', { name: 'ask' }, 1)],
    ['methods that do not exist', small, request('constructor', {}, 1)],
    ['tools that ask the client', fixture, request('tools/call', { name: 'test_elicitation', arguments: {} }, 1)],
    ['calls with more than arguments', small, request('tools/call', { name: 'echo', requestState: 'x' }, 1)],
    ['lists with such tools', fixture, request('tools/list', {}, 1)],
    ['tools whose results are no objects', withOutput({ type: 'string' }), request('tools/call', { name: 'echo' }, 1)],
  ];
  for (const [title, registry, message] of others) {
    test(title, () => {
      const { hotPath } = build(registry, '2025-11-25');

      assert.equal(hotPath.take(message as RequestMessage), false);
    });
  }
});

describe('a request on the hot path', () => {
  test('that is cancelled is stopped and gets no answer', async () => {
    const slow = createSlowTool();
    const { hotPath, sent } = build(createFixtureRegistry([slow.entry]).registry, '2025-11-25');
    hotPath.take(request('tools/call', { name: 'wait' }, 1) as RequestMessage);
    await slow.begun(1);

    const cancelled = [hotPath.cancel(1), hotPath.cancel(1), hotPath.cancel(2)];
    await turn();

    assert.deepEqual(cancelled, [true, false, false]);
    assert.equal(slow.aborted(), 1);
    assert.deepEqual(sent, []);
  });

  test('is stopped when the connection ends', async () => {
    const slow = createSlowTool();
    const { hotPath } = build(createFixtureRegistry([slow.entry]).registry, '2025-11-25');
    hotPath.take(request('tools/call', { name: 'wait' }, 1) as RequestMessage);
    await slow.begun(1);

    hotPath.close();

    assert.equal(slow.aborted(), 1);
  });
});

function build(registry: Registry, version: string) {
  const sent: [JSONRPCMessage, unknown][] = [];
  const { protocolVersion } = introductionOf(initializeParams(version));
  const hotPath = createHotPath({
    ...SERVER,
    registry,
    caller: { principal: localPrincipal(), era: 'legacy', version: () => protocolVersion },
    send: async (message, options) => void sent.push([message, options]),
    log: silentLog,
  });
  return { hotPath, sent };
}

const SERVER = {
  identity: { name: 'a server', version: '1.2.3', instructions: 'Be kind.' },
  pageSize: 2,
  listTtlMs: 1_000,
  resourceTtlMs: 1_000,
};

async function assertSame(registry: Registry, version: string, message: object): Promise<void> {
  const { hotPath, sent } = build(registry, version);

  assert.equal(hotPath.take(message as RequestMessage), true);
  const expected = await answersOfSdk(registry, version, message as JSONRPCMessage);
  while (sent.length < expected.length) await turn();

  assert.deepEqual(sent.map(written), expected.map(written));
}

/** The messages of the SDK for this request in a session of that version, until its answer. */
async function answersOfSdk(registry: Registry, version: string, message: JSONRPCMessage) {
  const sent: [JSONRPCMessage, unknown][] = [];
  const answered = Promise.withResolvers<void>();
  const id = 'id' in message ? message.id : undefined;
  const sdk = connectSdk({
    server: { ...SERVER, registry },
    caller: { principal: localPrincipal() },
    subscriber: { subscribe() {}, unsubscribe() {} },
    log: silentLog,
    async send(sending, options) {
      if ('id' in sending && sending.id === 'hello') return;
      sent.push([sending, options]);
      if ('id' in sending && sending.id === id) answered.resolve();
    },
  });
  if (!('method' in message && message.method === 'initialize')) {
    sdk.deliver({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: initializeParams(version) });
  }
  sdk.deliver(message);
  await answered.promise;
  await sdk.close();
  return sent;
}

/** As serialized: `undefined` is omitted. */
function written([message, options]: [JSONRPCMessage, unknown]): unknown {
  return JSON.parse(JSON.stringify([message, options ?? null]));
}

/** The small offer with results of another kind. */
function withOutput(outputSchema: { type: 'string' }): Registry {
  return {
    ...small,
    tool(name, principal) {
      const tool = small.tool(name, principal);
      return tool && ({ ...tool, definition: { ...tool.definition, outputSchema } } as unknown as typeof tool);
    },
  };
}
