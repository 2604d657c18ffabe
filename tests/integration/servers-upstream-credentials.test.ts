import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { startTlsProxy } from '../support/http/tls-proxy.ts';
import { NEVER } from '../support/servers/upstream-connection.ts';
import { connectHttp, failsAs, STREAM, serveSession } from '../support/servers/upstream-http-session.ts';

describe('credentials', () => {
  const challenge = 'Bearer resource_metadata="https://x/y"';

  test('that are refused fail the request with the challenge', async (t) => {
    for (const status of [401, 403]) {
      const server = await serveSession(t, {
        any: ({ response }) => void response.writeHead(status, { 'www-authenticate': challenge }).end(),
      });

      await assert.rejects(connectHttp(t, server.url), failsAs('unauthorized', { status, challenge }));
    }
  });

  test('are renewed once for requests that are refused together, which are then repeated', async (t) => {
    let token = 'old';
    let renewals = 0;
    const server = await serveSession(t, {
      any({ request, response }) {
        if (request.headers.authorization !== 'Bearer new') response.writeHead(401).end();
      },
    });
    const { upstream } = await connectHttp(t, server.url, {
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
    const server = await serveSession(t, { any: ({ response }) => void response.writeHead(401).end() });

    await assert.rejects(connectHttp(t, server.url, { onUnauthorized: async () => true }), failsAs('unauthorized'));

    assert.equal(server.requests.length, 2);
  });

  test('never follow a redirect to another origin, by POST or by the endpoint of the old transport', async (t) => {
    const other = await serveSession(t, {});
    const redirecting = await serveSession(t, {
      any: ({ response }) => void response.writeHead(307, { location: other.url }).end(),
    });
    const old = await serveSession(t, {
      any({ request, response }) {
        if (request.method === 'POST') response.writeHead(405).end();
        else response.writeHead(200, STREAM).write(`event: endpoint\ndata: ${other.url}\n\n`);
      },
    });

    await assert.rejects(connectHttp(t, redirecting.url), failsAs('protocol', { status: 307 }));
    await assert.rejects(connectHttp(t, old.url), failsAs('protocol'));

    assert.deepEqual(other.requests, []);
  });

  test('follow a redirect within the server, but not endless ones', async (t) => {
    const server = await serveSession(t, {
      any({ request, response }) {
        if (request.url === '/mcp') response.writeHead(308, { location: '/mcp/' }).end();
      },
    });
    const endless = await serveSession(t, {
      any: ({ response }) => void response.writeHead(307, { location: '/x' }).end(),
    });

    const { upstream } = await connectHttp(t, server.url);
    await upstream.ping(NEVER);

    assert.equal(server.requests.filter(({ message }) => message.method === 'ping').length, 1);
    await assert.rejects(connectHttp(t, endless.url), failsAs('protocol'));
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

    await assert.rejects(connectHttp(t, `http://127.0.0.1:${free}/`), {
      kind: 'unreachable',
      message: `127.0.0.1:${free} refuses connections.`,
    });
    await assert.rejects(connectHttp(t, 'http://no.such.host.invalid/'), failsAs('unreachable'));
    await assert.rejects(connectHttp(t, `https://127.0.0.1:${port}/`), failsAs('unreachable'));
    await assert.rejects(connectHttp(t, `http://127.0.0.1:${port}/`), failsAs('closed'));
    await assert.rejects(
      connectHttp(t, `http://127.0.0.1:${port}/`, { headers: async () => ({ authorization: 'a\nb' }) }),
      /a configured header has characters/,
    );
  });

  test('with a certificate that is not trusted gets nothing', async (t) => {
    const server = await serveSession(t, {});
    const { url } = await startTlsProxy(t, server.url);

    await assert.rejects(connectHttp(t, url), {
      kind: 'unreachable',
      message: `The certificate of ${new URL(url).host} is not trusted.`,
    });

    assert.deepEqual(server.requests, []);
  });
});
