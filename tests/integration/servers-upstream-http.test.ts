import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { UpstreamFailure } from '../../src/servers/upstream/upstream.ts';
import { NEVER } from '../support/servers/upstream-connection.ts';
import {
  answerJson,
  type Behaviour,
  connectHttp,
  event,
  failsAs,
  STREAM,
  serveSession,
} from '../support/servers/upstream-http-session.ts';
import { INITIALIZED } from '../support/servers/upstream-memory.ts';

describe('HOST-20 a session over HTTP', () => {
  test('is named in every request with its version, and ended', async (t) => {
    const server = await serveSession(t, {});
    const { upstream } = await connectHttp(t, server.url);

    await upstream.ping(NEVER);
    await upstream.close();

    const last = server.requests.at(-1);
    assert.equal(last?.method, 'DELETE');
    for (const { headers } of server.requests.slice(2)) {
      assert.deepEqual([headers['mcp-session-id'], headers['mcp-protocol-version']], ['a-session', '2025-11-25']);
    }
  });

  test('that the server has lost ends the connection', async (t) => {
    const server = await serveSession(t, { call: ({ response }) => void response.writeHead(404).end() });
    const { upstream, call } = await connectHttp(t, server.url);

    await assert.rejects(call(), failsAs('closed', { status: 404 }));

    assert.equal((await upstream.closed)?.message, 'The server has ended the session.');
    await assert.rejects(call(), failsAs('closed'));
  });

  test('is used where the server gives it no id and knows no other way', async (t) => {
    const server = await serveSession(t, {
      any(exchange) {
        if (exchange.message.method === 'initialize') answerJson(exchange, INITIALIZED);
        if (exchange.message.method === 'server/discover') exchange.response.writeHead(400).end();
      },
    });
    const { upstream } = await connectHttp(t, server.url);

    await upstream.ping(NEVER);

    assert.equal(upstream.era, 'sessions');
    assert.equal(server.requests.at(-1)?.headers['mcp-session-id'], undefined);
  });

  test('has headers that can change with every request', async (t) => {
    let number = 0;
    const server = await serveSession(t, {});
    const { upstream } = await connectHttp(t, server.url, {
      headers: async () => ({ authorization: `Bearer ${number++}`, 'x-key': 'k' }),
    });

    await upstream.ping(NEVER);

    const [first, second] = server.requests;
    assert.deepEqual([first?.headers.authorization, second?.headers.authorization], ['Bearer 0', 'Bearer 1']);
    assert.equal(first?.headers['x-key'], 'k');
  });
});

describe('a server without sessions over HTTP', () => {
  const discovered = { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } };

  test('is found where it refuses the handshake by a status alone, and gets the headers of its version', async (t) => {
    const server = await serveSession(t, {
      any(exchange) {
        const { request, response, message } = exchange;
        if (request.method === 'GET' || message.method === 'initialize') response.writeHead(405).end();
        else answerJson(exchange, message.method === 'server/discover' ? discovered : { result: { done: true } });
      },
    });
    const { upstream, call } = await connectHttp(t, server.url);

    assert.deepEqual(await call(), { done: true });

    assert.equal(upstream.era, 'stateless');
    const { headers } = server.requests.at(-1) ?? {};
    assert.equal(headers?.['mcp-protocol-version'], '2026-07-28');
    assert.deepEqual([headers?.['mcp-method'], headers?.['mcp-name']], ['tools/call', 'x']);
    assert.equal(headers?.['mcp-session-id'], undefined);
  });
});

describe('a stream over HTTP', () => {
  test('has progress, logs and questions of its request before the answer', async (t) => {
    const seen: string[] = [];
    const answered = Promise.withResolvers<void>();
    const server = await serveSession(t, {
      any: ({ message }) => void (message.id === 'q' && answered.resolve()),
      async call({ response, message }) {
        response.writeHead(200, STREAM);
        const progressToken = (message.params as { _meta: { progressToken: number } })._meta.progressToken;
        response.write(event({ method: 'notifications/progress', params: { progressToken, progress: 1 } }));
        response.write(event({ method: 'notifications/message', params: { data: 'a log line' } }));
        response.write(event({ id: 'q', method: 'roots/list' }));
        await answered.promise;
        response.end(event({ id: message.id, result: { done: true } }));
      },
    });
    const { call } = await connectHttp(t, server.url);

    const result = await call({
      onProgress: () => seen.push('progress'),
      onLog: () => seen.push('log'),
      onQuestion: async (method: string) => {
        seen.push(method);
        return { roots: [] };
      },
    });

    assert.deepEqual(result, { done: true });
    assert.deepEqual(seen, ['progress', 'log', 'roots/list']);
  });

  test('that breaks before the answer is continued after the last event', async (t) => {
    const server = await serveSession(t, {
      async call({ response }) {
        response.writeHead(200, STREAM);
        response.write('id: 7\nretry: 1\ndata: \n\n', () => response.destroy());
      },
      get({ request, response }) {
        if (request.headers['last-event-id'] !== '7') return void response.writeHead(405).end();
        response.writeHead(200, STREAM);
        response.end(event({ id: 2, result: { continued: true } }));
      },
    });
    const { call } = await connectHttp(t, server.url);

    assert.deepEqual(await call(), { continued: true });
    assert.equal(server.requests.filter(({ message }) => message.method === 'tools/call').length, 1);
  });

  test('that breaks without ids of events, or cannot be continued, fails its request and no other', async (t) => {
    for (const start of ['', 'id: 7\nretry: 1\n']) {
      const server = await serveSession(t, {
        call({ response }) {
          response.writeHead(200, STREAM);
          response.write(`${start}data: \n\n`, () => response.destroy());
        },
      });
      const { upstream, call } = await connectHttp(t, server.url);

      await assert.rejects(call(), failsAs('closed'));
      await upstream.ping(NEVER);
    }
  });

  test('of the server itself is followed, and opened again when it breaks', async (t) => {
    let streams = 0;
    const server = await serveSession(t, {
      get({ response }) {
        streams += 1;
        response.writeHead(200, STREAM);
        if (streams === 1) response.end('retry: 1\nid: 1\ndata: \n\n');
        else response.write(event({ method: 'notifications/tools/list_changed' }));
      },
    });
    const { listener } = await connectHttp(t, server.url);

    assert.equal(await listener.first('list'), 'tools');
    assert.equal(server.requests.filter(({ method }) => method === 'GET').at(-1)?.headers['last-event-id'], '1');
  });

  test('and its request are closed when the request is cancelled', async (t) => {
    const closed = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const server = await serveSession(t, {
      call({ response }) {
        response.writeHead(200, STREAM).flushHeaders();
        response.once('close', () => closed.resolve());
        started.resolve();
      },
    });
    const { call } = await connectHttp(t, server.url);
    const stop = new AbortController();
    const asked = call({ signal: stop.signal });
    await started.promise;

    stop.abort();

    await assert.rejects(asked, failsAs('cancelled'));
    await closed.promise;
  });

  test('may be silent for longer than connections are kept', async (t) => {
    const server = await serveSession(t, {
      call(exchange) {
        setTimeout(() => answerJson(exchange, { result: { late: true } }), 5_000);
      },
    });
    const { call } = await connectHttp(t, server.url);

    assert.deepEqual(await call(), { late: true });
  });
});

describe('an answer over HTTP', () => {
  test('over the limit is refused, as JSON or as an event', async (t) => {
    const large = { text: 'x'.repeat(300_000) };
    let count = 0;
    const server = await serveSession(t, {
      call(exchange) {
        const { response, message } = exchange;
        count += 1;
        if (count === 1) return answerJson(exchange, { result: large });
        response.writeHead(200, STREAM);
        response.end(event({ id: message.id, result: large }));
      },
    });
    const { upstream, call } = await connectHttp(t, server.url, { maxMessageBytes: 100_000 });

    await assert.rejects(call(), failsAs('too-large'));
    await assert.rejects(call(), failsAs('too-large'));
    await upstream.ping(NEVER);
  });

  test('without an answer in it is a failure of its own', async (t) => {
    const answers: Behaviour[] = [
      ({ response }) => void response.writeHead(202).end(),
      ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
      (exchange) => answerJson({ ...exchange, message: { id: 999 } }, { result: {} }),
      ({ response }) => void response.writeHead(418).end('a secret'),
    ];
    const server = await serveSession(t, { call: (exchange) => answers.shift()?.(exchange) });
    const { call } = await connectHttp(t, server.url);

    while (answers.length > 0) await assert.rejects(call(), failsAs('protocol'));
  });

  test('with a status of its own has the error of the server, or none', async (t) => {
    const error = { code: -32602, message: 'Unknown tool' };
    const json = { 'content-type': 'application/json' };
    const answers: Behaviour[] = [
      ({ response }) => void response.writeHead(400, json).end(JSON.stringify({ jsonrpc: '2.0', id: null, error })),
      ({ response }) => void response.writeHead(503).end(),
      ({ response }) => void response.destroy(),
    ];
    const server = await serveSession(t, { call: (exchange) => answers.shift()?.(exchange) });
    const { call } = await connectHttp(t, server.url);

    await assert.rejects(call(), (failure) => {
      assert.deepEqual((failure as UpstreamFailure).rpc, error);
      return true;
    });
    await assert.rejects(call(), failsAs('unreachable', { status: 503 }));
    await assert.rejects(call(), failsAs('closed'));
  });
});
