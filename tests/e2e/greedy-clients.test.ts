import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession, openStream, post, standardHeaders } from '../support/mcp/rpc-http.ts';
import { initializeParams, request, stateless } from '../support/mcp/rpc-message.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const INITIALIZE = request('initialize', initializeParams('2025-11-25'));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const [OWNER, GUEST, FRIEND] = ['the-owner-of-all', 'a-greedy-guest', 'a-modest-friend'] as const;

function homeWithTokens(): string {
  const home = join(folder, 'home');
  const entry = (token: string) => {
    const hash = createHash('sha256').update(token).digest('hex');
    return `    - { name: ${token}, token_hash: ${hash}, scopes: [system:read] }\n`;
  };
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), `auth:\n  token: ${OWNER}\n  tokens:\n${entry(GUEST)}${entry(FRIEND)}`, {
    mode: 0o600,
  });
  return home;
}

const LIMITS = {
  SWITCHBOARD_MCP__MAX_SESSIONS: '8',
  SWITCHBOARD_MCP__MAX_SESSIONS_PER_TOKEN: '6',
  SWITCHBOARD_LIMITS__MAX_STREAMS: '6',
  SWITCHBOARD_LIMITS__MAX_STREAMS_PER_TOKEN: '3',
  SWITCHBOARD_LIMITS__MAX_CONNECTIONS: '40',
  SWITCHBOARD_LIMITS__CONNECT_TIMEOUT_MS: '2000',
};

describe('a greedy client', () => {
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ home: homeWithTokens(), env: LIMITS });
  });

  after(() => program.stop());

  test('that opens a thousand sessions pushes out its own, never those of the owner or of a modest token', async () => {
    const owned = [await openSession(program.url, bearer(OWNER)), await openSession(program.url, bearer(OWNER))];
    const friend = await openSession(program.url, bearer(FRIEND));
    const opened = [];
    for (let count = 0; count < 30; count += 1) opened.push(await post(program.url, INITIALIZE, bearer(GUEST)));

    const statuses = [];
    for (const session of [...owned, friend]) statuses.push((await session.post(request('ping'))).status);

    assert.deepEqual(statuses, [200, 200, 200]);
    assert.ok(opened.every(({ status }) => status === 200));
    const first = { ...bearer(GUEST), 'mcp-session-id': opened[0]?.headers.get('mcp-session-id') ?? '' };
    assert.equal((await post(program.url, request('ping'), first)).status, 404);
  });

  test('that opens 1,500 streams is refused after its share, on every path, and others open theirs', async (context) => {
    const events = (token: string) => openStream(`${program.base}/api/v1/events`, { headers: bearer(token) });
    const listen = request('subscriptions/listen', stateless({ notifications: {} }));
    const open = [await events(GUEST), await events(GUEST), await events(GUEST)];
    context.after(() => closeAll(open));

    const refused = [
      await fetch(`${program.base}/api/v1/events`, { headers: bearer(GUEST) }),
      await fetch(`${program.base}/sse`, { headers: bearer(GUEST) }),
      await fetch(program.url, { headers: { ...bearer(GUEST), accept: 'text/event-stream' } }),
      await fetch(program.url, {
        method: 'POST',
        headers: {
          ...bearer(GUEST),
          ...standardHeaders(listen),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(listen),
      }),
    ];
    const friends = await events(FRIEND);
    context.after(() => friends.close());

    for (const answer of refused) {
      assert.equal(answer.status, 429);
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.match(await answer.text(), /3 streams of this token are open already, which is the limit/);
    }
    assert.equal(friends.status, 200);

    // The owner opens as many as there may be: the oldest of the greediest token end first.
    const owned = [await events(OWNER), await events(OWNER), await events(OWNER)];
    context.after(() => closeAll(owned));
    await open[0]?.ended;
    assert.ok(owned.every(({ status }) => status === 200));
    const other = await fetch(`${program.base}/api/v1/status`, { headers: bearer(GUEST) });
    assert.equal(other.status, 200);
  });

  test('that connects and sends nothing, or half a request, does not keep others out', async (context) => {
    const silent = await Promise.all(Array.from({ length: 60 }, () => slowClient('POST /mcp HTTP/1.1\r\nHost: local')));
    context.after(() => closeAll(silent.map((socket) => ({ close: () => socket.destroy() }))));

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => fetch(`${program.base}/api/v1/status`, { headers: bearer(OWNER) })),
    );

    assert.ok(answers.every(({ status }) => status === 200));
    // The oldest silent connection was closed for a new one.
    if (silent[0] && !silent[0].destroyed) await once(silent[0], 'close');
  });

  test('that sends its request too slowly is disconnected: headers, and a body after them', async () => {
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${OWNER}\r\n`;
    const body = `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"jsonrpc"`;

    const answers = await Promise.all(
      [head, body].map(async (beginning) => {
        const socket = await slowClient(beginning);
        const drip = setInterval(() => socket.writable && socket.write('x'), 100);
        return text(socket)
          .catch(() => '')
          .finally(() => clearInterval(drip));
      }),
    );

    for (const answer of answers) assert.ok(answer === '' || answer.startsWith('HTTP/1.1 408'), answer);
  });

  async function slowClient(beginning: string): Promise<Socket> {
    const socket = connect(Number(new URL(program.base).port), '127.0.0.1');
    socket.on('error', () => {}).on('close', () => {});
    await once(socket, 'connect');
    socket.write(beginning);
    if (!beginning.includes('Authorization')) socket.resume();
    return socket;
  }
});

function closeAll(open: readonly { close(): void }[]): void {
  for (const { close } of open) close();
}
