import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import type { RemoteOptions } from '../../src/servers/upstream/http-client.ts';
import { createRemoteTransport } from '../../src/servers/upstream/remote-transport.ts';
import { UpstreamFailure } from '../../src/servers/upstream/upstream.ts';
import { connectTo, createRecordingListener, NEVER } from '../support/servers/upstream-connection.ts';
import { bodyOf, serveHttp } from '../support/servers/upstream-http.ts';
import { INITIALIZED } from '../support/servers/upstream-memory.ts';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  message: JsonObject;
}

type Behaviour = (exchange: Exchange) => void | Promise<void>;

const OPTIONS = { signal: NEVER, timeoutMs: 60_000 };
const CALL = { name: 'x' };
const SESSION = { 'mcp-session-id': 'a-session' };
const STREAM = { 'content-type': 'text/event-stream' };

function answerJson({ response, message }: Exchange, answer: object, headers: object = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
}

const event = (message: object, fields = '') => `${fields}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

/** A server with a session that answers the handshake itself, and is otherwise as the test says. */
async function serve(t: TestContext, behaviour: Partial<Record<'call' | 'get' | 'any', Behaviour>>) {
  const requests: { method: string; message: JsonObject; headers: IncomingMessage['headers'] }[] = [];
  const server = await serveHttp(async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : '';
    const message: JsonObject = body === '' ? {} : JSON.parse(body);
    requests.push({ method: String(request.method), message, headers: request.headers });
    const exchange = { request, response, message };
    if (behaviour.any) await behaviour.any(exchange);
    if (response.headersSent) return;
    if (request.method === 'GET') return behaviour.get ? behaviour.get(exchange) : void response.writeHead(405).end();
    if (message.method === 'initialize') return answerJson(exchange, INITIALIZED, SESSION);
    if (message.method === 'tools/call') return behaviour.call?.(exchange);
    if (message.method === 'ping') return answerJson(exchange, { result: {} });
    response.writeHead(202).end();
  });
  t.after(server.close);
  return { ...server, requests };
}

async function connect(t: TestContext, url: string, options: Partial<RemoteOptions> = {}) {
  const listener = createRecordingListener();
  const upstream = await connectTo({ transport: createRemoteTransport({ type: 'http', url, ...options }), listener });
  t.after(() => upstream.close());
  return { upstream, listener, call: (more = {}) => upstream.request('tools/call', CALL, { ...OPTIONS, ...more }) };
}

const failsAs =
  (kind: string, details: object = {}) =>
  (thrown: unknown): true => {
    assert.ok(thrown instanceof UpstreamFailure, String(thrown));
    assert.equal(thrown.kind, kind);
    for (const [name, value] of Object.entries(details)) assert.equal(thrown[name as 'status'], value);
    return true;
  };

describe('HOST-20 a session over HTTP', () => {
  test('is named in every request with its version, and ended', async (t) => {
    const server = await serve(t, {});
    const { upstream } = await connect(t, server.url);

    await upstream.ping(NEVER);
    await upstream.close();

    const last = server.requests.at(-1);
    assert.equal(last?.method, 'DELETE');
    for (const { headers } of server.requests.slice(2)) {
      assert.deepEqual([headers['mcp-session-id'], headers['mcp-protocol-version']], ['a-session', '2025-11-25']);
    }
  });

  test('that the server has lost ends the connection', async (t) => {
    const server = await serve(t, { call: ({ response }) => void response.writeHead(404).end() });
    const { upstream, call } = await connect(t, server.url);

    await assert.rejects(call(), failsAs('closed', { status: 404 }));

    assert.equal((await upstream.closed)?.message, 'The server has ended the session.');
    await assert.rejects(call(), failsAs('closed'));
  });

  test('is used where the server gives it no id and knows no other way', async (t) => {
    const server = await serve(t, {
      any(exchange) {
        if (exchange.message.method === 'initialize') answerJson(exchange, INITIALIZED);
        if (exchange.message.method === 'server/discover') exchange.response.writeHead(400).end();
      },
    });
    const { upstream } = await connect(t, server.url);

    await upstream.ping(NEVER);

    assert.equal(upstream.era, 'sessions');
    assert.equal(server.requests.at(-1)?.headers['mcp-session-id'], undefined);
  });

  test('has headers that can change with every request', async (t) => {
    let number = 0;
    const server = await serve(t, {});
    const { upstream } = await connect(t, server.url, {
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
    const server = await serve(t, {
      any(exchange) {
        const { request, response, message } = exchange;
        if (request.method === 'GET' || message.method === 'initialize') response.writeHead(405).end();
        else answerJson(exchange, message.method === 'server/discover' ? discovered : { result: { done: true } });
      },
    });
    const { upstream, call } = await connect(t, server.url);

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
    const server = await serve(t, {
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
    const { call } = await connect(t, server.url);

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
    const server = await serve(t, {
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
    const { call } = await connect(t, server.url);

    assert.deepEqual(await call(), { continued: true });
    assert.equal(server.requests.filter(({ message }) => message.method === 'tools/call').length, 1);
  });

  test('that breaks without ids of events, or cannot be continued, fails its request and no other', async (t) => {
    for (const start of ['', 'id: 7\nretry: 1\n']) {
      const server = await serve(t, {
        call({ response }) {
          response.writeHead(200, STREAM);
          response.write(`${start}data: \n\n`, () => response.destroy());
        },
      });
      const { upstream, call } = await connect(t, server.url);

      await assert.rejects(call(), failsAs('closed'));
      await upstream.ping(NEVER);
    }
  });

  test('of the server itself is followed, and opened again when it breaks', async (t) => {
    let streams = 0;
    const server = await serve(t, {
      get({ response }) {
        streams += 1;
        response.writeHead(200, STREAM);
        if (streams === 1) response.end('retry: 1\nid: 1\ndata: \n\n');
        else response.write(event({ method: 'notifications/tools/list_changed' }));
      },
    });
    const { listener } = await connect(t, server.url);

    assert.equal(await listener.first('list'), 'tools');
    assert.equal(server.requests.filter(({ method }) => method === 'GET').at(-1)?.headers['last-event-id'], '1');
  });

  test('and its request are closed when the request is cancelled', async (t) => {
    const closed = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const server = await serve(t, {
      call({ response }) {
        response.writeHead(200, STREAM).flushHeaders();
        response.once('close', () => closed.resolve());
        started.resolve();
      },
    });
    const { call } = await connect(t, server.url);
    const stop = new AbortController();
    const asked = call({ signal: stop.signal });
    await started.promise;

    stop.abort();

    await assert.rejects(asked, failsAs('cancelled'));
    await closed.promise;
  });

  test('may be silent for longer than connections are kept', async (t) => {
    const server = await serve(t, {
      call(exchange) {
        setTimeout(() => answerJson(exchange, { result: { late: true } }), 5_000);
      },
    });
    const { call } = await connect(t, server.url);

    assert.deepEqual(await call(), { late: true });
  });
});

describe('an answer over HTTP', () => {
  test('over the limit is refused, as JSON or as an event', async (t) => {
    const large = { text: 'x'.repeat(300_000) };
    let count = 0;
    const server = await serve(t, {
      call(exchange) {
        const { response, message } = exchange;
        count += 1;
        if (count === 1) return answerJson(exchange, { result: large });
        response.writeHead(200, STREAM);
        response.end(event({ id: message.id, result: large }));
      },
    });
    const { upstream, call } = await connect(t, server.url, { maxMessageBytes: 100_000 });

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
    const server = await serve(t, { call: (exchange) => answers.shift()?.(exchange) });
    const { call } = await connect(t, server.url);

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
    const server = await serve(t, { call: (exchange) => answers.shift()?.(exchange) });
    const { call } = await connect(t, server.url);

    await assert.rejects(call(), (failure) => {
      assert.deepEqual((failure as UpstreamFailure).rpc, error);
      return true;
    });
    await assert.rejects(call(), failsAs('unreachable', { status: 503 }));
    await assert.rejects(call(), failsAs('closed'));
  });
});

describe('credentials', () => {
  const challenge = 'Bearer resource_metadata="https://x/y"';

  test('that are refused fail the request with the challenge', async (t) => {
    for (const status of [401, 403]) {
      const server = await serve(t, {
        any: ({ response }) => void response.writeHead(status, { 'www-authenticate': challenge }).end(),
      });

      await assert.rejects(connect(t, server.url), failsAs('unauthorized', { status, challenge }));
    }
  });

  test('are renewed once for requests that are refused together, which are then repeated', async (t) => {
    let token = 'old';
    let renewals = 0;
    const server = await serve(t, {
      any({ request, response }) {
        if (request.headers.authorization !== 'Bearer new') response.writeHead(401).end();
      },
    });
    const { upstream } = await connect(t, server.url, {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      async onUnauthorized() {
        renewals += 1;
        token = 'new';
        return true;
      },
    });

    token = 'old';
    await Promise.all([upstream.ping(NEVER), upstream.ping(NEVER), upstream.ping(NEVER)]);

    assert.equal(renewals, 2);
  });

  test('are not sent again and again', async (t) => {
    const server = await serve(t, { any: ({ response }) => void response.writeHead(401).end() });

    await assert.rejects(connect(t, server.url, { onUnauthorized: async () => true }), failsAs('unauthorized'));

    assert.equal(server.requests.length, 2);
  });

  test('never follow a redirect to another origin, by POST or by the endpoint of the old transport', async (t) => {
    const other = await serve(t, {});
    const redirecting = await serve(t, {
      any: ({ response }) => void response.writeHead(307, { location: other.url }).end(),
    });
    const old = await serve(t, {
      any({ request, response }) {
        if (request.method === 'POST') response.writeHead(405).end();
        else response.writeHead(200, STREAM).write(`event: endpoint\ndata: ${other.url}\n\n`);
      },
    });

    await assert.rejects(connect(t, redirecting.url), failsAs('protocol', { status: 307 }));
    await assert.rejects(connect(t, old.url), failsAs('protocol'));

    assert.deepEqual(other.requests, []);
  });

  test('follow a redirect within the server, but not endless ones', async (t) => {
    const server = await serve(t, {
      any({ request, response }) {
        if (request.url === '/mcp') response.writeHead(308, { location: '/mcp/' }).end();
      },
    });
    const endless = await serve(t, { any: ({ response }) => void response.writeHead(307, { location: '/x' }).end() });

    const { upstream } = await connect(t, server.url);
    await upstream.ping(NEVER);

    assert.equal(server.requests.filter(({ message }) => message.method === 'ping').length, 1);
    await assert.rejects(connect(t, endless.url), failsAs('protocol'));
  });
});

describe('a server that cannot be reached', () => {
  test('HOST-10 is described by the cause, in our words', async (t) => {
    const server = createServer((socket) => socket.end('HTTP/1.0 nonsense\r\n\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as { port: number };
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const free = (closed.address() as { port: number }).port;
    closed.close();

    await assert.rejects(connect(t, `http://127.0.0.1:${free}/`), {
      kind: 'unreachable',
      message: `127.0.0.1:${free} refuses connections.`,
    });
    await assert.rejects(connect(t, 'http://no.such.host.invalid/'), failsAs('unreachable'));
    await assert.rejects(connect(t, `https://127.0.0.1:${port}/`), failsAs('unreachable'));
    await assert.rejects(connect(t, `http://127.0.0.1:${port}/`), failsAs('closed'));
    await assert.rejects(
      connect(t, `http://127.0.0.1:${port}/`, { headers: async () => ({ authorization: 'a\nb' }) }),
      /a configured header has characters/,
    );
  });
});
