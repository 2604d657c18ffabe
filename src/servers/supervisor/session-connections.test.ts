import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GatewaySession } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ServerProblem } from '../../domain/server-state.ts';
import type { Upstream, UpstreamListener } from '../upstream/upstream.ts';
import type { ConnectionRequests, ServerRequest } from './connection-requests.ts';
import type { ServerConnection } from './server-connection.ts';
import { createSessionConnections } from './session-connections.ts';

const NEVER = new AbortController().signal;

/** Connections that are numbered in the order in which they were made. */
function createWorld({ idleMs = 60_000 } = {}) {
  const made: {
    listener: Pick<UpstreamListener, 'onQuestion'>;
    isClosed: boolean;
    lose(): void;
    capabilities: unknown;
  }[] = [];
  const notified: number[] = [];
  const sessions = createSessionConnections({
    idleMs: () => idleMs,
    async connect(listener, _, capabilities) {
      const ended = Promise.withResolvers<ServerProblem>();
      const number = made.length;
      const lose = () => ended.resolve({ code: 'SERVICE_UNAVAILABLE', message: 'It ended.' });
      made.push({ listener, isClosed: false, lose, capabilities });
      const upstream = { rootsChanged: async () => void notified.push(number) } as Upstream;
      const connection: ServerConnection = {
        upstream,
        pid: number,
        ended: ended.promise,
        async close() {
          Object.assign(made[number] ?? {}, { isClosed: true });
        },
      };
      return connection;
    },
    createRequests: () =>
      ({
        send: async ({ pid }: ServerConnection) => ({ pid: pid ?? null }),
        count: () => 0,
        reset: () => {},
        onLog: () => {},
        onQuestion: async () => ({ asked: 'a request' }),
      }) as unknown as ConnectionRequests,
  });
  const send = (request: Partial<ServerRequest>) =>
    sessions.send('tools/call', {}, { signal: NEVER, ask: async () => ({}), ...request } as ServerRequest);
  const call = (session: GatewaySession, capabilities?: JsonObject) =>
    send({ session, sessionKey: session, capabilities });
  return { made, notified, sessions, send, call };
}

function createSession() {
  const end = new AbortController();
  const session: GatewaySession = { ended: end.signal, ask: async (method) => ({ answered: method }) };
  return { session, end: () => end.abort() };
}

describe('the own connections of client sessions', () => {
  test('HOST-22 are made by the first call of each session, with what its client can do', async () => {
    const { call, made, sessions } = createWorld();
    const [one, two] = [createSession(), createSession()];

    const pids = [await call(one.session, { roots: {} }), await call(two.session), await call(one.session)];

    assert.deepEqual(
      pids.map(({ pid }) => pid),
      [0, 1, 0],
    );
    assert.deepEqual(made[0]?.capabilities, { roots: {} });
    assert.equal(sessions.count(), 2);
  });

  test('HOST-22 calls at the same time share one that is being made', async () => {
    const { call, made } = createWorld();
    const { session } = createSession();

    await Promise.all([call(session), call(session)]);

    assert.equal(made.length, 1);
  });

  test('HOST-22 of clients without sessions are shared by their principal', async () => {
    const { send, made } = createWorld();

    await send({ sessionKey: 'local', capabilities: { roots: {} } });
    await send({ sessionKey: 'local' });
    await send({ sessionKey: 'another' });

    assert.equal(made.length, 2);
    assert.equal(made[0]?.capabilities, undefined);
  });

  test('HOST-22 end with their session', async () => {
    const { call, made, sessions } = createWorld();
    const [one, two] = [createSession(), createSession()];
    await Promise.all([call(one.session), call(two.session)]);

    one.end();
    await new Promise(setImmediate);

    assert.deepEqual(
      made.map(({ isClosed }) => isClosed),
      [true, false],
    );
    assert.equal(sessions.has(one.session), false);
  });

  test('HOST-22 end when they are not used', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { call, made, sessions } = createWorld({ idleMs: 1_000 });
    const { session } = createSession();
    await call(session);

    context.mock.timers.tick(1_000);
    await new Promise(setImmediate);

    assert.equal(made[0]?.isClosed, true);
    assert.equal(sessions.count(), 0);
  });

  test('HOST-22 that were lost are made again by the next call', async () => {
    const { call, made } = createWorld();
    const { session } = createSession();
    await call(session);

    made[0]?.lose();
    await new Promise(setImmediate);
    const { pid } = await call(session);

    assert.equal(pid, 1);
  });

  test('HOST-22 all end with their server', async () => {
    const { call, made, sessions } = createWorld();
    await Promise.all([call(createSession().session), call(createSession().session)]);

    await sessions.closeAll();

    assert.ok(made.every(({ isClosed }) => isClosed));
  });

  test('HOST-22 a server may ask its only client at any time, and is told of changed roots', async () => {
    const { call, made, notified, sessions } = createWorld();
    const [one, two] = [createSession(), createSession()];
    await call(one.session);
    await call(two.session);

    const answer = await made[1]?.listener.onQuestion('roots/list', {}, NEVER);
    await sessions.rootsChanged(two.session);

    assert.deepEqual(answer, { answered: 'roots/list' });
    assert.deepEqual(notified, [1]);
  });

  test('HOST-22 are at most 100: the one that was unused for longest ends', async () => {
    const { call, made, sessions } = createWorld();
    const all = Array.from({ length: 101 }, () => createSession());

    for (const { session } of all) await call(session);

    assert.equal(made[0]?.isClosed, true);
    assert.equal(sessions.count(), 100);
  });
});
