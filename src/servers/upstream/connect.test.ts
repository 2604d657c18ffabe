import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connectTo, createRecordingListener, NEVER } from '../../../tests/support/servers/upstream-connection.ts';
import { createMemoryServer, INITIALIZED } from '../../../tests/support/servers/upstream-memory.ts';
import type { JsonObject } from '../../domain/json.ts';
import { UpstreamFailure } from './upstream.ts';

const OPTIONS = { signal: NEVER, timeoutMs: 60_000 };
const DISCOVERED: JsonObject = {
  result: {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, resources: {} },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'stateless' } },
  },
};
const failsAs = (kind: string) => (thrown: unknown) => thrown instanceof UpstreamFailure && thrown.kind === kind;

/** Answers by method; what is missing is not answered. */
function serverWith(answers: Record<string, JsonObject | ((params: JsonObject) => JsonObject)>) {
  return createMemoryServer(({ method, params }) => {
    const answer = answers[String(method)];
    return typeof answer === 'function' ? answer((params ?? {}) as JsonObject) : answer;
  });
}

describe('the handshake', () => {
  test('states the newest version with sessions, what the client can do, and ends with a notification', async () => {
    const { transport, sent } = serverWith({ initialize: INITIALIZED });

    const upstream = await connectTo({ transport });

    assert.deepEqual(sent[0]?.params, {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
      clientInfo: { name: 'switchboard-test', version: '1.0.0' },
    });
    assert.equal(sent[1]?.method, 'notifications/initialized');
    assert.deepEqual([upstream.era, upstream.serverInfo.name], ['sessions', 'memory']);
  });

  test('accepts older versions with sessions, and no others', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '1', 5]) {
      const { transport } = serverWith({ initialize: { result: { protocolVersion: version } } });
      const connecting = connectTo({ transport });

      if (/^202[45]/.test(String(version))) assert.equal((await connecting).protocolVersion, version);
      else await assert.rejects(connecting, failsAs('protocol'));
    }
  });

  test('continues without a session where that is refused, unless sessions are configured', async () => {
    for (const error of [
      { code: -32601, message: 'Method not found' },
      { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } },
      { code: -32602, message: 'Invalid params' },
    ]) {
      const refusing = () => serverWith({ initialize: { error }, 'server/discover': DISCOVERED });
      const upstream = await connectTo({ transport: refusing().transport });

      assert.deepEqual([upstream.era, upstream.serverInfo.name], ['stateless', 'stateless']);
      await assert.rejects(connectTo({ transport: refusing().transport, protocol: 'sessions' }), failsAs('rpc'));
    }
  });

  test('HOST-20 with a session, changes of roots are reported; without one there is no such message', async () => {
    const server = serverWith({ initialize: INITIALIZED, 'server/discover': DISCOVERED });
    const upstream = await connectTo({ transport: server.transport });
    const other = serverWith({ 'server/discover': DISCOVERED });
    const stateless = await connectTo({ transport: other.transport, protocol: 'stateless' });

    await upstream.rootsChanged();
    await stateless.rootsChanged();

    assert.equal(server.sent.at(-1)?.method, 'notifications/roots/list_changed');
    assert.equal(other.sent.length, 1);
  });

  test('does not try anything else after another error', async () => {
    const { transport, sent } = serverWith({ initialize: { error: { code: -32603, message: 'down' } } });

    await assert.rejects(connectTo({ transport }), failsAs('rpc'));

    assert.equal(sent.length, 1);
  });

  test('HOST-09 is limited in time, and the connection is closed then', async () => {
    const server = serverWith({});
    const closed = Promise.withResolvers<void>();
    const transport = { ...server.transport, close: async () => closed.resolve() };

    await assert.rejects(connectTo({ transport, handshakeTimeoutMs: 20 }), failsAs('timeout'));

    await closed.promise;
  });

  test('can be cancelled, and fails when the server ends', async () => {
    const stop = new AbortController();
    const cancelled = connectTo({ transport: serverWith({}).transport, signal: stop.signal });
    const server = serverWith({});
    const ended = connectTo({ transport: server.transport });

    stop.abort();
    server.end();

    await assert.rejects(cancelled, failsAs('cancelled'));
    await assert.rejects(ended, failsAs('closed'));
  });
});

describe('a list', () => {
  const listing = async (pages: (params: JsonObject) => JsonObject, listener = createRecordingListener()) => {
    const { transport, sent } = serverWith({ initialize: INITIALIZED, 'tools/list': pages });
    const upstream = await connectTo({ transport, listener });
    return { upstream, sent, listener };
  };

  test('has the items of all pages; what is not an object is left out', async () => {
    const { upstream } = await listing(({ cursor }) => ({
      result: cursor === undefined ? { tools: [{ name: 'a' }, 5, null], nextCursor: '2' } : { tools: [{ name: 'b' }] },
    }));

    assert.deepEqual(await upstream.list('tools', NEVER), [{ name: 'a' }, { name: 'b' }]);
  });

  test('is empty without the capability, or where the server does not know the method', async () => {
    const { transport, sent } = serverWith({
      initialize: INITIALIZED,
      'resources/templates/list': { error: { code: -32601, message: '' } },
    });
    const upstream = await connectTo({ transport });

    assert.deepEqual(await upstream.list('prompts', NEVER), []);
    assert.deepEqual(await upstream.list('resourceTemplates', NEVER), []);
    assert.ok(!sent.some(({ method }) => method === 'prompts/list'));
  });

  test('ends when a cursor is repeated', async () => {
    const { upstream } = await listing(() => ({ result: { tools: [{ name: 'a' }], nextCursor: 'same' } }));

    assert.equal((await upstream.list('tools', NEVER)).length, 2);
  });

  test('without an end is cut at 10,000 items and 1,000 pages', async () => {
    let next = 0;
    const page = (size: number) => () => ({
      result: { tools: Array.from({ length: size }, () => ({})), nextCursor: String(next++) },
    });
    const large = await listing(page(3_000));
    const small = await listing(page(0));

    assert.equal((await large.upstream.list('tools', NEVER)).length, 10_000);
    assert.equal((await small.upstream.list('tools', NEVER)).length, 0);
    assert.equal(small.sent.filter(({ method }) => method === 'tools/list').length, 1_000);
    assert.equal(large.listener.of('noise').length, 1);
  });
});

describe('a connection without a session', () => {
  const VERSION = 'io.modelcontextprotocol/protocolVersion';
  const connect = async (answers: Record<string, JsonObject | ((params: JsonObject) => JsonObject)>) => {
    const server = serverWith({ 'server/discover': DISCOVERED, ...answers });
    const upstream = await connectTo({ transport: server.transport, protocol: 'stateless' });
    return { ...server, upstream };
  };

  test('states version, client and log level with each request, instead of what the caller wrote', async () => {
    const { upstream, sent } = await connect({ 'tools/call': { result: { content: [], resultType: 'complete' } } });
    const _meta = { [VERSION]: 'forged', 'io.modelcontextprotocol/logLevel': 'debug', mine: 1 };
    await upstream.setLogLevel('error');

    const result = await upstream.request('tools/call', { name: 'x', _meta }, OPTIONS);
    await upstream.request('tools/call', { name: 'x' }, { ...OPTIONS, logLevel: 'info' });

    assert.deepEqual(result, { content: [] });
    const [first, second] = sent.slice(1).map(({ params }) => (params as JsonObject)._meta as JsonObject);
    assert.equal(first?.[VERSION], '2026-07-28');
    assert.equal(first?.mine, 1);
    assert.equal(first?.['io.modelcontextprotocol/logLevel'], 'error');
    assert.equal(second?.['io.modelcontextprotocol/logLevel'], 'info');
  });

  test('repeats a request with the answers to all questions and the exact state, in several rounds', async () => {
    let round = 0;
    const { upstream, sent } = await connect({
      'tools/call': () => {
        round += 1;
        if (round === 3) return { result: { content: [], resultType: 'complete' } };
        const question = { method: 'roots/list' };
        const inputRequests = JSON.parse(`{"a":${JSON.stringify(question)},"__proto__":${JSON.stringify(question)}}`);
        return { result: { resultType: 'input_required', inputRequests, requestState: `state ${round}` } };
      },
    });
    const onQuestion = async () => ({ roots: [] });

    await upstream.request('tools/call', { name: 'x' }, { ...OPTIONS, onQuestion });

    const repeated = sent.slice(2).map(({ params }) => params as JsonObject);
    assert.deepEqual(
      repeated.map(({ name, requestState }) => [name, requestState]),
      [
        ['x', 'state 1'],
        ['x', 'state 2'],
      ],
    );
    assert.deepEqual(Object.keys(repeated[0]?.inputResponses as JsonObject), ['a', '__proto__']);
  });

  test('ends a request whose questions never end, are too many, unknown or not answered', async () => {
    const asking = (inputRequests: JsonObject) =>
      connect({ 'tools/call': { result: { resultType: 'input_required', inputRequests } } });
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, key) => [key, { method: 'roots/list' }]));
    const answered = { ...OPTIONS, onQuestion: async () => ({ roots: [] }) };

    for (const inputRequests of [{}, many, { a: { method: 'tools/call' } }, { a: 5 }]) {
      const { upstream } = await asking(inputRequests);
      await assert.rejects(upstream.request('tools/call', {}, answered), failsAs('protocol'));
    }
    const { upstream } = await asking({ a: { method: 'roots/list' } });
    await assert.rejects(upstream.request('tools/call', {}, OPTIONS), failsAs('cancelled'));
  });

  test('refuses results of unknown types', async () => {
    const { upstream } = await connect({ 'tools/call': { result: { resultType: 'task', taskId: '1' } } });

    await assert.rejects(upstream.request('tools/call', {}, OPTIONS), failsAs('protocol'));
  });

  test('replaces the request for changes when other resources are subscribed to', async () => {
    const server = await connect({});
    const acknowledge = async (count: number) => {
      while (listens(server.sent).length < count) await server.nextSent();
      const { id, params } = listens(server.sent)[count - 1] ?? {};
      const notifications = (params as JsonObject).notifications as JsonObject;
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      server.receive({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
      return notifications;
    };

    const first = server.upstream.subscribe('a:1', NEVER);
    assert.deepEqual(await acknowledge(1), { resourceSubscriptions: ['a:1'] });
    await first;
    const second = server.upstream.subscribe('a:2', NEVER);
    assert.deepEqual(await acknowledge(2), { resourceSubscriptions: ['a:1', 'a:2'] });
    await second;
    const cancelled = await server.sentWith({ method: 'notifications/cancelled' });

    assert.equal((cancelled.params as JsonObject).requestId, listens(server.sent)[0]?.id);
  });
});

describe('the request for changes', () => {
  test('is repeated when the server has ended it, and everything counts as changed then', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const listener = createRecordingListener();
    const capabilities = { tools: { listChanged: true } };
    const server = serverWith({
      'server/discover': { result: { supportedVersions: ['2026-07-28'], capabilities } },
    });
    await connectTo({ transport: server.transport, protocol: 'stateless', listener });
    const accept = async (count: number) => {
      while (listens(server.sent).length < count) {
        t.mock.timers.tick(2_000);
        await new Promise(setImmediate);
      }
      const { id = null, params } = listens(server.sent)[count - 1] ?? {};
      const { notifications } = params as JsonObject;
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      server.receive({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
      return id;
    };

    const first = await accept(1);
    await new Promise(setImmediate);
    server.receive({ id: first, result: {} });
    await accept(2);

    assert.equal(await listener.first('list'), 'tools');
    assert.deepEqual(listens(server.sent)[1]?.method, 'subscriptions/listen');
  });
});

function listens(sent: readonly JsonObject[]): readonly JsonObject[] {
  return sent.filter(({ method }) => method === 'subscriptions/listen');
}
