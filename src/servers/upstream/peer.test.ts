import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createRecordingListener, NEVER } from '../../../tests/support/servers/upstream-connection.ts';
import { createMemoryServer } from '../../../tests/support/servers/upstream-memory.ts';
import type { JsonObject } from '../../domain/json.ts';
import { createPeer } from './peer.ts';
import { UpstreamFailure, type UpstreamRequestOptions } from './upstream.ts';

const OPTIONS = { signal: NEVER, timeoutMs: Number.POSITIVE_INFINITY };

function connected(answers: Record<string, JsonObject> = {}) {
  const server = createMemoryServer();
  const listener = createRecordingListener(answers);
  const peer = createPeer(server.transport, listener);
  const call = (options: Partial<UpstreamRequestOptions> = {}, params: JsonObject = { name: 'x' }) =>
    peer.request('tools/call', params, { ...OPTIONS, ...options });
  return { server, listener, peer, call };
}

const failsAs = (kind: string) => (thrown: unknown) => thrown instanceof UpstreamFailure && thrown.kind === kind;

describe('a request to a server', () => {
  test('has a number of ours as id, and its parameters and result are the same objects', async () => {
    const { server, call } = connected();
    const params = { name: 'x', _meta: { 'a.b/c': 1 } };
    const result = { content: [] };

    const asked = call({}, params);
    server.receive({ id: 1, result });

    assert.equal(server.sent[0]?.params, params);
    assert.equal(server.sent[0]?.id, 1);
    assert.equal(await asked, result);
  });

  test('never has the progress token of its caller', async () => {
    const { server, call } = connected();

    void call({}, { _meta: { progressToken: 7, other: 1 } });
    void call({ onProgress: () => {} }, { _meta: { progressToken: 7, other: 1 } });

    assert.deepEqual(
      server.sent.map(({ params }) => params),
      [{ _meta: { other: 1 } }, { _meta: { other: 1, progressToken: 2 } }],
    );
  });

  test('fails with the error of the server, which is bounded', async () => {
    const { server, call } = connected();
    const asked = [call(), call(), call()];

    server.receive({ id: 1, error: { code: -32602, message: 'x'.repeat(10_000), data: { uri: 'a' } } });
    server.receive({ id: 2, error: { code: 'not a number' } });
    server.receive({ id: 3, result: 'text' });

    const failures = (await Promise.allSettled(asked)).map((each) => each.status === 'rejected' && each.reason);
    assert.deepEqual(failures[0].rpc, { code: -32602, message: 'x'.repeat(4_000), data: { uri: 'a' } });
    assert.deepEqual(failures[1].rpc, { code: -32603, message: '' });
    assert.equal(failures[2].kind, 'protocol');
  });

  test('is cancelled at the server when its caller cancels it, and a late answer is ignored', async () => {
    const { server, call } = connected();
    const stop = new AbortController();
    const asked = call({ signal: stop.signal });

    stop.abort();
    server.receive({ id: 1, result: {} });

    await assert.rejects(asked, failsAs('cancelled'));
    assert.equal(server.sent[1]?.method, 'notifications/cancelled');
    assert.deepEqual(server.sent[1]?.params, { requestId: 1, reason: 'cancelled by the client' });
  });

  test('is not sent for a caller that has cancelled already, or when the connection has ended', async () => {
    const { server, call } = connected();

    await assert.rejects(call({ signal: AbortSignal.abort() }), failsAs('cancelled'));
    server.end();
    await assert.rejects(call(), failsAs('closed'));

    assert.deepEqual(server.sent, []);
  });

  test('HOST-10 fails at once when the connection ends, with the reason', async () => {
    const { server, peer, call } = connected();
    const asked = [call(), call()];
    const cause = new UpstreamFailure('closed', 'gone');

    server.end(cause);
    server.end();

    for (const each of asked) await assert.rejects(each, cause);
    assert.equal(await peer.closed, cause);
  });

  test('fails if its answer, or the request itself, is nested too deeply', async () => {
    const { server, listener, peer, call } = connected();
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const asked = call();
    server.transport.send = (message) => void JSON.stringify(message);

    server.receive({ id: 1, result: { content: deep } });
    server.receive({ method: 'notifications/message', params: { data: deep } });

    await assert.rejects(asked, failsAs('protocol'));
    await assert.rejects(call({}, { deep }), failsAs('protocol'));
    assert.equal(listener.of('noise').length, 1);
    assert.equal(peer.ended(), undefined);
  });

  test('fails if its answer is over the limit; another message over the limit is noise', async () => {
    const { server, listener, call } = connected();
    const asked = call();

    server.tooLarge(1);
    server.tooLarge(99);
    server.tooLarge(null);

    await assert.rejects(asked, failsAs('too-large'));
    assert.equal(listener.of('noise').length, 2);
  });
});

describe('the time of a request', () => {
  test('HOST-10 is limited, and the server is told that it is over', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { server, call } = connected();
    const asked = call({ timeoutMs: 1_000 });

    t.mock.timers.tick(1_000);

    await assert.rejects(asked, failsAs('timeout'));
    assert.equal(server.sent[1]?.method, 'notifications/cancelled');
  });

  test('starts again with each report of progress', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { server, call } = connected();
    const steps: unknown[] = [];
    const asked = call({ timeoutMs: 1_000, onProgress: ({ progress }) => steps.push(progress) });

    for (let progress = 0; progress < 5; progress++) {
      t.mock.timers.tick(900);
      server.receive({ method: 'notifications/progress', params: { progressToken: 1, progress } });
    }
    server.receive({ id: 1, result: { done: true } });

    assert.deepEqual(await asked, { done: true });
    assert.deepEqual(steps, [0, 1, 2, 3, 4]);
  });

  test('does not count while a question of the server is answered', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { server, call } = connected();
    const answer = Promise.withResolvers<JsonObject>();
    const asked = call({ timeoutMs: 1_000, onQuestion: () => answer.promise });

    server.receive({ id: 'q', method: 'roots/list' });
    t.mock.timers.tick(10_000);
    answer.resolve({ roots: [] });
    await server.sentWith({ id: 'q' });
    server.receive({ id: 1, result: { done: true } });

    assert.deepEqual(await asked, { done: true });
  });

  test('counts again when the question has been answered', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { server, call } = connected();
    const asked = call({ timeoutMs: 1_000, onQuestion: async () => ({ roots: [] }) });

    server.receive({ id: 'q', method: 'roots/list' });
    await server.sentWith({ id: 'q' });
    t.mock.timers.tick(1_000);

    await assert.rejects(asked, failsAs('timeout'));
  });
});

describe('a question of a server', () => {
  const ROOTS = { roots: [{ uri: 'file:///x' }] };

  test('belongs to the request in whose answer it came', async () => {
    const { server, call } = connected();
    const asked: string[] = [];
    for (const name of ['first', 'second']) {
      void call({
        onQuestion: async () => {
          asked.push(name);
          return ROOTS;
        },
      });
    }

    server.receive({ id: 5, method: 'roots/list' }, 2);

    assert.deepEqual((await server.sentWith({ id: 5 })).result, ROOTS);
    assert.deepEqual(asked, ['second']);
  });

  test('belongs to the only request that can be asked, and else is for the listener', async () => {
    const { server, listener, call } = connected({ 'roots/list': ROOTS });
    const asked: string[] = [];
    const onQuestion = async (method: string) => {
      asked.push(method);
      return ROOTS;
    };
    void call();
    void call({ onQuestion });

    server.receive({ id: 'a', method: 'roots/list' });
    void call({ onQuestion });
    server.receive({ id: 'b', method: 'roots/list' });

    await server.sentWith({ id: 'b' });
    assert.deepEqual(asked, ['roots/list']);
    assert.deepEqual(listener.of('question'), ['roots/list']);
  });

  test('is refused if it is not answered, with the error of the client if there is one', async () => {
    const { server, call } = connected();
    const rpc = { code: -1, message: 'User rejected the request' };
    void call({
      onQuestion: async (method) => {
        throw method === 'roots/list' ? new Error('a secret') : new UpstreamFailure('rpc', 'refused', { rpc });
      },
    });

    server.receive({ id: 'a', method: 'roots/list' });
    server.receive({ id: 'b', method: 'sampling/createMessage' });

    const [first, second] = await Promise.all([server.sentWith({ id: 'a' }), server.sentWith({ id: 'b' })]);
    assert.deepEqual(first.error, { code: -32603, message: 'The client did not answer this request.' });
    assert.deepEqual(second.error, rpc);
  });

  test('can be cancelled by the server, and is then not answered', async () => {
    const { server, call } = connected();
    const aborted = Promise.withResolvers<void>();
    void call({
      onQuestion: async (_method, _params, signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted.resolve();
        return {};
      },
    });

    server.receive({ id: 'a', method: 'roots/list' });
    server.receive({ method: 'notifications/cancelled', params: { requestId: 'a' } });

    await aborted.promise;
    assert.equal(server.sent.length, 1);
  });

  test('is aborted when the connection ends', async () => {
    const { server, call } = connected();
    const aborted = Promise.withResolvers<void>();
    call({
      onQuestion: async (_method, _params, signal) => {
        signal.addEventListener('abort', () => aborted.resolve());
        return new Promise(() => {});
      },
    }).catch(() => {});

    server.receive({ id: 'a', method: 'roots/list' });
    server.end();

    await aborted.promise;
  });

  test('of more than 32 at once is refused, so are unknown methods; a ping is answered', async () => {
    const { server, call } = connected();
    void call({ onQuestion: () => new Promise(() => {}) });

    for (let id = 0; id < 33; id++) server.receive({ id, method: 'roots/list' });
    server.receive({ id: 0, method: 'roots/list' });
    server.receive({ id: 'constructor', method: '__proto__' });
    server.receive({ id: 'p', method: 'ping' });
    server.receive({ id: null, method: 'ping' });

    const answers = server.sent.slice(1).map(({ id, error, result }) => [id, (error as JsonObject)?.code ?? result]);
    assert.deepEqual(answers, [
      [32, -32603],
      [0, -32600],
      ['constructor', -32601],
      ['p', {}],
    ]);
  });
});

describe('a notification of a server', () => {
  test('is handed to the listener, without a request it belongs to', async () => {
    const { server, listener } = connected();

    server.receive({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
    server.receive({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
    server.receive({ method: 'notifications/prompts/list_changed' });
    server.receive({ method: 'notifications/unknown', params: { uri: 5 } });
    server.receive({ method: 'notifications/resources/updated', params: { uri: 5 } });
    server.receive({ method: 'notifications/progress', params: { progressToken: 'constructor' } });

    assert.deepEqual(listener.of('log'), [{ level: 'info', data: 'x' }]);
    assert.deepEqual(listener.of('updated'), ['a:b']);
    assert.deepEqual(listener.of('list'), ['prompts']);
  });

  test('that a question by URL is done is handed to a listener that wants it', () => {
    const server = createMemoryServer();
    const done: JsonObject[] = [];
    createPeer(server.transport, {
      ...createRecordingListener(),
      onElicitationComplete: (params) => done.push(params),
    });

    server.receive({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } });

    assert.deepEqual(done, [{ elicitationId: 'e' }]);
  });

  test('that is a log message belongs to the only request that wants it', async () => {
    const { server, listener, call } = connected();
    const logs: JsonObject[] = [];
    void call({ onLog: (params) => logs.push(params) });
    void call();

    server.receive({ method: 'notifications/message', params: { data: 1 } });
    server.receive({ method: 'notifications/message', params: { data: 2 } }, 2);

    assert.deepEqual(logs, [{ data: 1 }]);
    assert.deepEqual(listener.of('log'), [{ data: 2 }]);
  });

  test('is dropped where a flood of them arrives, and changes of lists are reported once', () => {
    const { server, listener } = connected();

    for (let count = 0; count < 50_000; count++) {
      server.receive({ method: 'notifications/message', params: {} });
      server.receive({ method: 'notifications/tools/list_changed' });
    }

    assert.ok(listener.of('log').length <= 5_000);
    assert.ok(listener.of('list').length < 100);
    assert.ok(listener.of('noise').length >= 1);
  });
});

describe('any sequence of messages', () => {
  const ids = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.constantFrom('1', '__proto__', 'constructor', null));
  const garbage = fc.oneof(
    fc.dictionary(fc.constantFrom('id', 'method', 'params', 'result', 'error', '__proto__'), fc.jsonValue()),
    fc.record({ id: ids, method: fc.constantFrom('roots/list', 'ping', 'toString', '__proto__') }),
    fc.record({
      method: fc.constantFrom('notifications/progress', 'notifications/message', 'notifications/cancelled'),
      params: fc.jsonValue(),
    }),
  );
  const answers = fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 8 });

  test('answers each request exactly once, with its own answer', async () => {
    await fc.assert(
      fc.asyncProperty(answers, fc.array(fc.tuple(fc.nat({ max: 8 }), garbage)), async (order, noise) => {
        const { server, call } = connected();
        const settled: number[] = [];
        const asked = order.map((_, index) => call({}, { number: index + 1 }).finally(() => settled.push(index + 1)));

        for (const [at, id] of order.entries()) {
          // An answer in the garbage may be the first to one of our requests.
          for (const [before, message] of noise)
            if (before === at) server.receive({ ...message, ...unanswering(message) });
          server.receive({ id, result: { number: id } });
          server.receive({ id, result: { number: 'again' } });
        }

        const results = await Promise.all(asked);
        assert.deepEqual(
          results.map(({ number }) => number),
          [1, 2, 3, 4, 5, 6, 7, 8],
        );
        assert.equal(settled.length, 8);
      }),
    );
  });
});

/** Without a method it would be an answer. */
function unanswering(message: object): object {
  return 'method' in message && typeof message.method === 'string' ? {} : { id: -1 };
}
