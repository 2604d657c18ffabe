import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, Server } from 'node:net';
import { describe, mock, test } from 'node:test';
import { openHttpDoor, rawRequest } from '../../tests/support/http/door.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { AppError } from '../domain/errors.ts';
import { createAuth } from './tokens.ts';

const AUTH = createAuth({ owner: 'the-owner', tokens: [], localScopes: [] });
const OWNER = { authorization: 'Bearer the-owner' };

describe('starting the HTTP server', () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com', '']) {
    test(`on ${host || 'no address'} without a token is refused: anyone could connect`, async (context) => {
      await assert.rejects(openHttpDoor(context, {}, { host }), { code: 'VALIDATION_ERROR', field: 'host' });
    });
  }

  test('on a port that is in use is an error that says so', async (context) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    context.after(() => other.close());
    const { port } = other.address() as { port: number };

    await assert.rejects(openHttpDoor(context, {}, { port }), {
      code: 'CONFLICT',
      field: 'port',
      message: `Port ${port} on 127.0.0.1 is in use by another program.`,
    });
  });

  test('on an address of another machine is an error that says so', async (context) => {
    await assert.rejects(openHttpDoor(context, {}, { host: '192.0.2.1', auth: AUTH }), {
      code: 'VALIDATION_ERROR',
      field: 'host',
    });
  });
});

describe('a request', () => {
  test('reaches the handler of its path', async (context) => {
    const { url } = await openHttpDoor(context);
    const ask = async (method: string, path: string) => (await rawRequest(url, { method, path })).text;

    assert.equal(await ask('POST', '/mcp'), 'mcp');
    assert.equal(await ask('GET', '/mcp/chat'), 'mcp');
    assert.equal(await ask('GET', '/sse'), 'sse');
    assert.equal(await ask('POST', '/messages?session_id=x'), 'messages');
    assert.equal(await ask('GET', '/api/v1/status'), 'rest');
  });

  test('for metrics gets them in the Prometheus format, or an error if they are disabled', async (context) => {
    const counted = await openHttpDoor(context, { metrics: async () => 'calls_total 1\n' });
    const silent = await openHttpDoor(context);

    const some = await rawRequest(counted.url, { path: '/metrics' });
    const none = await rawRequest(silent.url, { path: '/metrics' });

    assert.deepEqual([some.status, some.text, none.status], [200, 'calls_total 1\n', 404]);
    assert.match(some.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
  });

  test('to an unknown path gets a list of the existing ones', async (context) => {
    const { url } = await openHttpDoor(context);

    for (const path of ['/', '/mcpx', '/MCP', '/sse/x', '/api/v1', '/api/v2/x', '/../etc/passwd', '/%2e%2e/x']) {
      const { status, text } = await rawRequest(url, { path });

      assert.equal(status, 404, path);
      assert.match(JSON.parse(text).error.hint, /MCP is at \/mcp/);
    }
  });

  test('selects the capabilities, each once', async (context) => {
    const mcp = mock.fn(async (_request, response, _principal, _only) => response.end());
    const { url } = await openHttpDoor(context, { mcp });

    await rawRequest(url, { path: '/mcp' });
    await rawRequest(url, { path: '/mcp/chat,email,chat,chat' });

    assert.deepEqual(
      mcp.mock.calls.map(({ arguments: [, , , only] }) => only),
      [[], ['chat', 'email']],
    );
  });

  test('with an invalid URL is refused, and is not logged as our failure', async (context) => {
    const log = { ...silentLog, error: mock.fn() };
    const { url } = await openHttpDoor(context, {}, { log });

    for (const path of ['//', 'http://[', 'http://%/', '//[x/mcp', '*']) {
      const { status } = await rawRequest(url, { path });

      assert.ok(status === 400 || status === 404, `${path}: ${status}`);
    }
    assert.equal(log.error.mock.callCount(), 0);
  });

  test('whose client disconnects within the body is not logged as our failure', async (context) => {
    const log = { ...silentLog, error: mock.fn() };
    const failed = Promise.withResolvers<void>();
    const { url } = await openHttpDoor(
      context,
      {
        async mcp(request) {
          try {
            await request.toArray();
          } finally {
            setImmediate(failed.resolve);
          }
        },
      },
      { log },
    );
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);

    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"a":`);
    await once(socket, 'connect');
    setImmediate(() => socket.destroy());
    await failed.promise;

    assert.equal(log.error.mock.callCount(), 0);
  });

  test('that fails internally gets an answer without the error text, which is only logged', async (context) => {
    const log = { ...silentLog, error: mock.fn() };
    const { url } = await openHttpDoor(
      context,
      {
        async rest() {
          throw new TypeError('x is not a function');
        },
      },
      { log },
    );

    const { status, text } = await rawRequest(url, { path: '/api/v1/x' });

    assert.equal(status, 500);
    assert.doesNotMatch(text, /not a function/);
    assert.equal(log.error.mock.callCount(), 1);
  });

  test('that fails after the response has begun is cut off, so that no client takes half a response for a whole one', async (context) => {
    const { url } = await openHttpDoor(context, {
      async rest(_, response) {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        throw new AppError('NETWORK_ERROR', 'Lost.');
      },
    });

    await assert.rejects(rawRequest(url, { path: '/api/v1/x' }));
  });

  test('that is written to after its end is logged, and the others are served', async (context) => {
    const log = { ...silentLog, error: mock.fn() };
    const { url } = await openHttpDoor(
      context,
      {
        async rest(_, response) {
          response.end('whole');
          response.write('late');
        },
      },
      { log },
    );

    const { text } = await rawRequest(url, { path: '/api/v1/x' });

    assert.equal(text, 'whole');
    assert.equal(log.error.mock.callCount(), 1);
    assert.equal((await rawRequest(url, { path: '/healthz' })).status, 200);
  });

  test('whose failure cannot be answered is logged and cut off, and the others are served', async (context) => {
    const log = { ...silentLog, error: mock.fn() };
    const { url } = await openHttpDoor(
      context,
      {
        async rest(_, response) {
          context.mock.method(response, 'writeHead', () => {
            throw new Error('no head');
          });
          throw new AppError('NETWORK_ERROR', 'Lost.');
        },
      },
      { log },
    );

    await assert.rejects(rawRequest(url, { path: '/api/v1/x' }));

    assert.equal(log.error.mock.callCount(), 1);
    assert.equal((await rawRequest(url, { path: '/healthz' })).status, 200);
  });
});

describe('access control', () => {
  test('CHAT-27 refuses requests without the token, and CHAT-28 accepts those with it', async (context) => {
    const { url } = await openHttpDoor(context, {}, { auth: AUTH });

    const missing = await rawRequest(url, { path: '/mcp' });
    const wrong = await rawRequest(url, { path: '/mcp', headers: { authorization: 'Bearer x' } });
    const right = await rawRequest(url, { path: '/mcp', headers: OWNER });

    assert.deepEqual([missing.status, wrong.status, right.status], [401, 401, 200]);
    assert.match(missing.headers['www-authenticate'] ?? '', /^Bearer /);
    assert.match(JSON.parse(missing.text).error.message, /^Authentication required/);
  });

  test('answers health checks of every client, without details', async (context) => {
    const { url } = await openHttpDoor(context, {}, { auth: AUTH });

    const { status, text } = await rawRequest(url, { path: '/healthz' });

    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), { status: 'ok' });
  });

  test('answers readiness checks of every client, with the reasons only', async (context) => {
    let reasons: readonly string[] = [];
    const { url } = await openHttpDoor(context, { ready: async () => reasons }, { auth: AUTH });
    const ask = async () => {
      const { status, text } = await rawRequest(url, { path: '/readyz' });
      return { status, body: JSON.parse(text) };
    };

    const ready = await ask();
    reasons = ['The store does not answer.'];
    const unready = await ask();

    assert.deepEqual(ready, { status: 200, body: { status: 'ready' } });
    assert.deepEqual(unready, { status: 503, body: { status: 'not ready', reasons } });
  });

  test('rejects foreign pages, with or without the right token, even for health checks', async (context) => {
    const { url } = await openHttpDoor(context, {}, { auth: AUTH });
    const strange = [{ host: 'evil.example' }, { origin: 'https://evil.example' }, { origin: 'null' }];

    for (const headers of strange) {
      for (const path of ['/mcp', '/healthz', '/readyz', '/api/v1/x']) {
        assert.equal((await rawRequest(url, { path, headers: { ...OWNER, ...headers } })).status, 403);
      }
    }
  });
});

test('a server that cannot accept one more connection continues', async (context) => {
  const log = { ...silentLog, error: mock.fn() };
  const listening = context.mock.method(Server.prototype, 'listen');
  const door = await openHttpDoor(context, {}, { log });

  (listening.mock.calls[0]?.this as Server | undefined)?.emit('error', new Error('too many open files'));

  assert.equal((await rawRequest(door.url, { path: '/healthz' })).status, 200);
  assert.equal(log.error.mock.callCount(), 1);
});
