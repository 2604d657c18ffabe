import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession, post } from '../support/mcp/rpc-http.ts';
import { initializeParams, request } from '../support/mcp/rpc-message.ts';
import { fetchAs, NEEDS_ROOT, NOBODY, OTHER_USER, runAs } from '../support/other-user.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
/** Other users have to reach their homes, and may not reach the temporary folder of this test run. */
const reachable = mkdtempSync('/tmp/switchboard-users-');
chmodSync(reachable, 0o755);
after(() => rmSync(reachable, { recursive: true, force: true }));

const JSON_TYPE = { 'content-type': 'application/json' };
const INITIALIZE = request('initialize', initializeParams('2025-11-25'));
const EVERY_RIGHT = { name: 'mine', scopes: ['system:manage', 'chat:read', 'chat:send'] };

function homeOf(user: number): string {
  const home = join(reachable, `home-${user}`);
  mkdirSync(home, { mode: 0o700 });
  chownSync(home, user, user);
  return home;
}

describe('another user of the machine, without a token', NEEDS_ROOT, () => {
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ home: homeOf(0) });
  });

  after(() => program.stop());

  test('cannot make itself a token, read, write, or open a session or a stream', async () => {
    const { base, url } = program;
    const body = JSON.stringify(EVERY_RIGHT);
    const mcp = { method: 'POST', headers: { ...JSON_TYPE, accept: '*/*' }, body: JSON.stringify(INITIALIZE) };

    const answers = await fetchAs(OTHER_USER, [
      [`${base}/api/v1/tokens`, { method: 'POST', headers: JSON_TYPE, body }],
      [`${base}/api/v1/status`],
      [`${base}/api/v1/openapi.json`],
      [`${base}/api/v1/events`],
      [`${base}/metrics`],
      [url, mcp],
      [`${base}/sse`],
    ]);
    const tokens = await (await fetch(`${base}/api/v1/tokens`)).json();

    for (const { status, body: answer } of answers) {
      assert.equal(status, 403);
      assert.match(answer, /only processes of the user who runs Switchboard are served/);
      assert.match(answer, /Set auth\.token/);
    }
    assert.deepEqual(tokens, { tokens: [] });
  });

  test('is another one for every request of a connection', async () => {
    const raw = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const pipelined = raw('/healthz') + raw('/api/v1/status') + raw('/api/v1/status', 'Connection: close\r\n');

    const answer = await runAs<string>(
      OTHER_USER,
      `const socket = require('node:net').connect(input.port, '127.0.0.1');
      socket.write(input.pipelined);
      return require('node:stream/consumers').text(socket);`,
      { port: Number(new URL(program.base).port), pipelined },
    );

    assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 403', 'HTTP/1.1 403']);
  });

  test('does not become root by closing its connection, although the kernel reports that', async () => {
    const body = JSON.stringify(EVERY_RIGHT);
    const head = `POST /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;

    await runAs(
      OTHER_USER,
      `const { connect } = require('node:net');
      for (const how of ['end', 'destroySoon', 'resetAndDestroy']) for (let i = 0; i < 10; i += 1) {
        await new Promise((closed) => {
          const socket = connect(input.port, '127.0.0.1', () => socket.write(input.message, () => socket[how]()));
          socket.on('error', () => {}).on('close', closed).resume();
        });
      }`,
      { port: Number(new URL(program.base).port), message: `${head}Content-Length: ${body.length}\r\n\r\n${body}` },
    );

    assert.deepEqual(await (await fetch(`${program.base}/api/v1/tokens`)).json(), { tokens: [] });
  });

  test('may check whether the server runs, as before', async () => {
    const answers = await fetchAs(OTHER_USER, [[`${program.base}/healthz`], [`${program.base}/readyz`]]);

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  });

  test('does not keep our own processes out, over many connections', async () => {
    const session = await openSession(program.url);
    const many = await Promise.all(
      Array.from({ length: 50 }, () => post(program.url, INITIALIZE, { connection: 'close' })),
    );

    assert.ok((await session.call('tools/list')).result);
    assert.ok(many.every(({ status }) => status === 200));
  });

  test('is served through no proxy of ours', async () => {
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      const answer = await fetch(`${program.base}/api/v1/status`, { headers: { [header]: '192.0.2.7' } });

      assert.equal(answer.status, 403, header);
      assert.match(await answer.text(), /proxy forwarded this request/);
    }
  });

  test('is served with a token that the owner gave it, and from then on the owner needs one too', async (context) => {
    const guarded = await startHttp({ home: join(folder, 'token'), env: { SWITCHBOARD_AUTH__TOKEN: 'of-the-owner' } });
    context.after(() => guarded.stop());
    const headers = { authorization: 'Bearer of-the-owner' };

    const [served, refused] = await fetchAs(OTHER_USER, [
      [`${guarded.base}/api/v1/status`, { headers }],
      [`${guarded.base}/api/v1/status`],
    ]);

    assert.deepEqual([served?.status, refused?.status], [200, 401]);
  });
});

test('root is another user for a server of a user, without a token', NEEDS_ROOT, async (context) => {
  const program = await startHttp({ home: homeOf(OTHER_USER), user: OTHER_USER });
  context.after(() => program.stop());

  const root = await fetch(`${program.base}/api/v1/status`);
  const [own] = await fetchAs(OTHER_USER, [[`${program.base}/api/v1/status`]]);

  assert.deepEqual([root.status, own?.status], [403, 200]);
});

test('where the system does not tell the user, a token is made at the first start', NEEDS_ROOT, async (context) => {
  const home = homeOf(NOBODY);
  const start = async () => {
    const program = await startHttp({ home, user: NOBODY });
    context.after(() => program.stop());
    const [, token = ''] = /"Authorization: Bearer ([\w-]{43})"/.exec(program.log.join('\n')) ?? [];
    return { ...program, token };
  };
  const status = async (base: string, token?: string) =>
    (await fetch(`${base}/api/v1/status`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }))
      .status;
  const file = join(home, 'http-token');

  const first = await start();
  assert.deepEqual([await status(first.base), await status(first.base, first.token)], [401, 200]);
  assert.equal(readFileSync(file, 'utf8'), `${first.token}\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await first.stop();

  const second = await start();
  assert.equal(second.token, first.token);
  await second.stop();

  // A token that other users can read is none.
  chmodSync(file, 0o644);
  await assert.rejects(start(), /other users can read it/);
  rmSync(file);
  // Neither is one that a link leads to.
  writeFileSync(join(home, 'elsewhere'), `${'x'.repeat(43)}\n`, { mode: 0o600 });
  chownSync(join(home, 'elsewhere'), NOBODY, NOBODY);
  symlinkSync(join(home, 'elsewhere'), file);
  await assert.rejects(start(), /is not a token that was made here/);
});

test('a home that its user cannot reach is reported with the reason', NEEDS_ROOT, async () => {
  const closed = join(reachable, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const home = join(closed, 'home');

  for (const command of [['mcp', '--port', '0'], ['serve', '--port', '0'], ['sessions', 'list'], ['mcp']]) {
    const { code, stderr } = await runProgram(command, { home, user: OTHER_USER, env: { HOME: '/' } });

    assert.equal(code, 1);
    assert.match(
      stderr,
      /closed\/home.* cannot be (made|written|read): the permission .*is missing/,
      command.join(' '),
    );
    assert.doesNotMatch(stderr, / {4}at /);
  }
});

describe('a page of another origin', () => {
  let program: Awaited<ReturnType<typeof startHttp>>;
  const NAMED = 'http://localhost:5173';

  before(async () => {
    program = await startHttp({ home: join(folder, 'pages'), env: { SWITCHBOARD_MCP__ALLOWED_ORIGINS: NAMED } });
  });

  after(() => program.stop());

  const tokens = async () => (await (await fetch(`${program.base}/api/v1/tokens`)).json()) as { tokens: unknown[] };

  test('on any port of localhost cannot post, whatever it posts', async () => {
    const body = JSON.stringify(EVERY_RIGHT);
    const pages: Record<string, string>[] = [
      { origin: 'http://localhost:8080' },
      { origin: 'http://127.0.0.1:8080' },
      { origin: 'https://localhost' },
      { origin: 'null' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const page of pages) {
      const answers = await Promise.all([
        rawPost(`${program.base}/api/v1/tokens`, body, { ...JSON_TYPE, ...page }),
        rawPost(program.url, JSON.stringify(INITIALIZE), { ...JSON_TYPE, accept: '*/*', ...page }),
      ]);

      assert.deepEqual(
        answers.map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]),
        ['403', '403'],
        JSON.stringify(page),
      );
    }
    assert.deepEqual(await tokens(), { tokens: [] });
  });

  test('cannot change anything by a form, which browsers send without asking', async () => {
    const body = JSON.stringify(EVERY_RIGHT);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      for (const target of [`${program.base}/api/v1/tokens`, program.url, `${program.base}/api/v1/secrets/rotate`]) {
        const answer = await rawPost(target, body, type === '' ? {} : { 'content-type': type });

        assert.match(answer, /^HTTP\/1\.1 415/, `${type} ${target}`);
      }
    }
    assert.deepEqual(await tokens(), { tokens: [] });
  });

  test('is answered where the configuration names it, and a browser lets it ask', async () => {
    const preflight = await fetch(program.url, {
      method: 'OPTIONS',
      headers: { origin: NAMED, 'access-control-request-method': 'POST', 'sec-fetch-site': 'same-site' },
    });
    const answer = await post(program.url, INITIALIZE, { origin: NAMED });
    const foreign = await fetch(program.url, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:8080', 'access-control-request-method': 'POST' },
    });

    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), NAMED);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /authorization.*mcp-session-id/);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), NAMED);
    assert.equal(foreign.status, 403);
    assert.equal(foreign.headers.get('access-control-allow-origin'), null);
  });

  test('can neither frame nor cache an answer, and finds no WebSocket and no proxy', async () => {
    const answers = [
      await fetch(`${program.base}/healthz`),
      await fetch(`${program.base}/api/v1/status`),
      await fetch(`${program.base}/nothing`),
      await fetch(program.url, { method: 'POST', headers: { ...JSON_TYPE }, body: JSON.stringify(INITIALIZE) }),
    ];
    const upgraded = await raw(
      'GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    const tunnel = await raw('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: localhost\r\n\r\n');

    for (const { headers } of answers) {
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.equal(headers.get('set-cookie'), null);
    }
    assert.match(upgraded, /^HTTP\/1\.1 4/);
    assert.equal(tunnel, '');
  });

  function raw(request: string): Promise<string> {
    const socket = connect(Number(new URL(program.base).port), '127.0.0.1');
    socket.write(request);
    return text(socket);
  }

  /** `fetch` sets some of these headers itself. */
  function rawPost(url: string, body: string, headers: Record<string, string>): Promise<string> {
    const { host, pathname } = new URL(url);
    const lines = Object.entries({ host, connection: 'close', 'content-length': body.length, ...headers });
    return raw(
      `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
  }
});
