import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { readSse } from '../support/http/sse-reader.ts';
import { startHttp, startStdio } from '../support/mcp/mcp-program.ts';
import { openSession, post, postStateless } from '../support/mcp/rpc-http.ts';
import { initializeParams, request, stateless } from '../support/mcp/rpc-message.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const GUEST = 'a-guest-who-may-look';
const folder = temporaryFolder(after);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const initialize = request('initialize', initializeParams('2025-11-25'));

/** A home with an owner's token and one that may only read. */
function homeWithTokens(name: string): string {
  const home = join(folder, name);
  const hash = createHash('sha256').update(GUEST).digest('hex');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    join(home, 'config.yaml'),
    `auth:\n  token: ${OWNER}\n  tokens:\n    - { name: guest, token_hash: ${hash}, scopes: [system:read] }\n`,
    { mode: 0o600 },
  );
  return home;
}

async function start(context: TestContext, home: string, env: Record<string, string> = {}) {
  const program = await startHttp({ home, env });
  context.after(() => program.stop());
  return program;
}

describe('authentication over HTTP', () => {
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ home: homeWithTokens('guarded') });
  });

  after(() => program.stop());

  test('CHAT-27 without a token the response is 401 with a challenge, with and without sessions and on every path', async () => {
    const { url, base } = program;

    const answers = [
      await post(url, initialize),
      await postStateless(url, request('tools/list', stateless())),
      await post(`${base}/messages`, initialize),
      await post(`${base}/api/v1/status`, {}),
    ];
    const stream = await fetch(`${base}/sse`);

    for (const answer of answers) {
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="switchboard"');
      assert.match(answer.body, /Authentication required/);
    }
    assert.equal(stream.status, 401);
  });

  test('where clients look for an authorization server there is none, with and without a token', async () => {
    const { base } = program;
    const paths = [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/register',
    ];

    for (const path of paths) {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`${base}${path}`, { method, headers: { 'content-type': 'application/json' } });
        const body = await answer.text();

        assert.equal(answer.status, 404, `${method} ${path}`);
        assert.equal(answer.headers.get('www-authenticate'), null);
        assert.equal(JSON.parse(body).error.code, 'NOT_FOUND');
      }
    }
  });

  test('CHAT-27 an unknown token is refused, and not repeated in the response', async () => {
    const answer = await post(program.url, initialize, bearer('something-else'));

    assert.equal(answer.status, 401);
    assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    assert.doesNotMatch(answer.body, /something-else/);
  });

  test('CHAT-28 CHAT-02 with the right token a client connects and calls tools', async () => {
    const session = await openSession(program.url, bearer(OWNER));

    const { result } = await session.call('tools/call', { name: 'switchboard_status', arguments: {} });
    const current = await postStateless(
      program.url,
      request('tools/call', stateless({ name: 'switchboard_status', arguments: {} })),
      bearer(OWNER),
    );

    assert.partialDeepStrictEqual(result, { structuredContent: { capabilities: ['system'] } });
    assert.partialDeepStrictEqual(current.messages, [{ result: { structuredContent: { capabilities: ['system'] } } }]);
  });

  test('CHAT-28 a named token is limited to its scopes', async () => {
    const session = await openSession(program.url, bearer(GUEST));

    const read = await session.call('resources/read', { uri: 'switchboard://status' });
    const managed = await fetch(`${program.base}/api/v1/sessions`, { headers: bearer(GUEST) });

    assert.ok(read.result);
    assert.equal(managed.status, 403);
  });

  test('a session can be used only with the token that opened it', async () => {
    const owned = await openSession(program.url, bearer(OWNER));

    const stolen = await owned.post(request('tools/list'), bearer(GUEST));
    const deleted = await fetch(program.url, { method: 'DELETE', headers: { ...owned.headers, ...bearer(GUEST) } });
    const mine = await owned.call('ping');

    assert.deepEqual([stolen.status, deleted.status], [404, 404]);
    assert.deepEqual(mine.result, {});
  });

  test('an unknown session id is 404', async () => {
    const headers = { ...bearer(OWNER), 'mcp-session-id': 'made-up' };

    const posted = await post(program.url, request('tools/list'), headers);
    const listened = await fetch(program.url, { headers: { ...headers, accept: 'text/event-stream' } });

    assert.deepEqual([posted.status, listened.status], [404, 404]);
  });

  test('a foreign Origin or Host is 403, even with the right token', async () => {
    const foreignOrigin = await post(program.url, initialize, { ...bearer(OWNER), origin: 'https://evil.example' });
    const foreignHost = await statusWithHost(program.url, 'evil.example');
    const ownOrigin = await post(program.url, initialize, { ...bearer(OWNER), origin: program.base });

    assert.deepEqual([foreignOrigin.status, foreignHost, ownOrigin.status], [403, 403, 200]);
  });
});

describe('listening address', () => {
  test('CHAT-02 --port sets the port, and a second program reports that it is in use', async (context) => {
    const first = await start(context, join(folder, 'first'));
    const { port } = new URL(first.url);

    const second = await runProgram(['mcp', '--port', port], { home: join(folder, 'second') });

    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`Port ${port} on 127.0.0.1 is in use`));
    assert.equal(second.stdout, '');
  });

  test('it refuses to listen on a public address without a token', async () => {
    const { code, stderr } = await runProgram(['mcp', '--port', '0', '--host', '0.0.0.0'], {
      home: join(folder, 'open'),
    });

    assert.notEqual(code, 0);
    assert.match(stderr, /Refusing to listen on 0\.0\.0\.0 without a token/);
  });

  test('with a token it listens on a public address, and requires the token', async (context) => {
    const program = await startHttp({ home: join(folder, 'public') }, ['--host', '0.0.0.0', '--token', OWNER]);
    context.after(() => program.stop());
    const url = program.url.replace('0.0.0.0', '127.0.0.1');

    const refused = await post(url, initialize);
    const session = await openSession(url, bearer(OWNER));

    assert.equal(refused.status, 401);
    assert.deepEqual((await session.call('ping')).result, {});
    assert.doesNotMatch(program.log.join('\n'), new RegExp(OWNER));
  });

  test('CHAT-29 stdio never requires a token, whatever the configuration contains', async (context) => {
    const program = startStdio({ home: homeWithTokens('stdio') });
    context.after(() => program.stop());

    await program.initialize();
    const { result } = await program.call('tools/call', { name: 'switchboard_status', arguments: {} });

    assert.partialDeepStrictEqual(result, { structuredContent: { capabilities: ['system'] } });
  });
});

describe('lifetime of sessions', () => {
  test('a session continues after a restart of the program', async (context) => {
    const home = homeWithTokens('restarted');
    const before = await startHttp({ home });
    const { headers } = await openSession(before.url, bearer(OWNER), '2025-06-18');
    const { code } = await before.stop();

    const program = await start(context, home);
    const listed = await post(program.url, request('tools/list'), headers);
    const second = await post(program.url, initialize, headers);
    const stolen = await post(program.url, request('tools/list'), { ...headers, ...bearer(GUEST) });

    assert.equal(code, 0);
    assert.partialDeepStrictEqual(listed.messages, [{ result: { tools: [{ name: 'switchboard_status' }] } }]);
    assert.partialDeepStrictEqual(second.messages, [{ error: { data: { code: 'CONFLICT' } } }]);
    assert.equal(stolen.status, 404);
  });

  test('a session that was idle too long is closed', async (context) => {
    const program = await start(context, join(folder, 'idle'), { SWITCHBOARD_MCP__SESSION_IDLE_MS: '1' });
    // Not observed through a session, which could be closed as idle first.
    const events = await readSse(context, `${program.base}/api/v1/events?types=session.closed`);
    const silent = await openSession(program.url);

    const [closed] = await events.take(1);
    const answer = await silent.post(request('ping'));

    assert.partialDeepStrictEqual(closed?.data, { type: 'session.closed', subject: silent.id });
    assert.equal(answer.status, 404);
  });

  test('above the maximum number of sessions, the one idle for longest is closed', async (context) => {
    const program = await start(context, join(folder, 'full'), { SWITCHBOARD_MCP__MAX_SESSIONS: '2' });
    const sessions = [await openSession(program.url), await openSession(program.url), await openSession(program.url)];

    const statuses = [];
    for (const session of sessions) statuses.push((await session.post(request('ping'))).status);

    assert.deepEqual(statuses, [404, 200, 200]);
  });
});

describe('limits from the environment', () => {
  test('CHAT-33 more concurrent requests than SWITCHBOARD_LIMITS__MAX_CONCURRENT are refused as busy', async (context) => {
    const program = await start(context, join(folder, 'narrow'), { SWITCHBOARD_LIMITS__MAX_CONCURRENT: '1' });
    const session = await openSession(program.url, {}, '2025-03-26');
    const calls = ['a', 'b', 'c'].map((id) => request('tools/call', { name: 'switchboard_status', arguments: {} }, id));

    const { messages } = await session.post(calls);

    assert.equal(messages.length, 3);
    assert.equal(messages.filter(({ error }) => error?.data?.code === 'BUSY').length, 2);
  });

  test('CHAT-33 an invalid limit is rejected with the name of its variable', async () => {
    const { code, stderr } = await runProgram(['mcp', '--port', '0'], {
      home: join(folder, 'nonsense'),
      env: { SWITCHBOARD_LIMITS__REQUEST_TIMEOUT_MS: 'soon' },
    });

    assert.equal(code, 1);
    assert.match(stderr, /SWITCHBOARD_LIMITS__REQUEST_TIMEOUT_MS/);
  });
});

/** `fetch` does not allow a custom Host header. */
function statusWithHost(url: string, host: string): Promise<number | undefined> {
  const headers = { ...bearer(OWNER), host, 'content-type': 'application/json' };
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = httpRequest(url, { method: 'POST', headers }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  sent.once('error', reject).end(JSON.stringify(initialize));
  return promise;
}
