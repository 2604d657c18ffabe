import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from './errors.ts';
import type { SessionId } from './ids.ts';
import { decide, evolve, isOpen, type Session, type SessionCommand } from './session.ts';

const id = 'session-1' as SessionId;
const create: SessionCommand = { kind: 'create', id, principal: 'local', transport: 'http', only: ['chat'], at: 1 };
const initialize: SessionCommand = {
  kind: 'initialize',
  protocolVersion: '2025-11-25',
  client: { name: 'inspector', version: '2.0' },
  clientCapabilities: { roots: {} },
  at: 2,
};
const confirm: SessionCommand = { kind: 'confirm', at: 3 };
const beginClose: SessionCommand = { kind: 'begin-close', reason: 'shutdown', at: 8 };
const close: SessionCommand = { kind: 'close', reason: 'client', at: 9 };

describe('a session', () => {
  test('CORE-04 changes from created over initializing, ready and closing to closed', () => {
    const commands = [create, initialize, confirm, beginClose, close];

    const states = commands.map((_, index) => after(...commands.slice(0, index + 1)).state);

    assert.deepEqual(states, ['created', 'initializing', 'ready', 'closing', 'closed']);
  });

  test('CORE-04 has the events SessionCreated, SessionInitialized and SessionClosed', () => {
    const ready = after(create, initialize);

    const events = [decide(undefined, create), decide(ready, confirm), decide(ready, close)].flat();

    assert.deepEqual(events, [
      { type: 'SessionCreated', id, principal: 'local', transport: 'http', only: ['chat'], at: 1 },
      { type: 'SessionInitialized', at: 3 },
      { type: 'SessionClosed', reason: 'client', at: 9 },
    ]);
  });

  test('CORE-04 refuses a second initialize in every state after the first', () => {
    const lives = [[initialize], [initialize, confirm], [initialize, confirm, beginClose], [close]];

    for (const life of lives) {
      assert.throws(() => decide(after(create, ...life), initialize), conflict);
    }
  });

  test('has the time of its client’s last activity, not of its end', () => {
    assert.equal(after(create, initialize, confirm).activeAt, 3);
    assert.equal(after(create, initialize, confirm, beginClose, close).activeAt, 3);
  });

  test('stores the client’s introduction', () => {
    const session = after(create, initialize);

    assert.equal(session.protocolVersion, '2025-11-25');
    assert.deepEqual(session.client, { name: 'inspector', version: '2.0' });
    assert.deepEqual(session.clientCapabilities, { roots: {} });
  });

  test('is created once', () => {
    assert.throws(() => decide(after(create), create), conflict);
  });

  test('must exist before anything else happens to it', () => {
    assert.throws(
      () => decide(undefined, confirm),
      (error) => error instanceof AppError && error.code === 'NOT_FOUND',
    );
    assert.throws(() => evolve(undefined, { type: 'SessionInitialized', at: 3 }), /before SessionCreated/);
  });

  test('is confirmed once; a confirmation at another time changes nothing', () => {
    assert.deepEqual(decide(after(create), confirm), []);
    assert.deepEqual(decide(after(create, initialize, confirm), confirm), []);
  });

  test('stores its log level and has no event when it is unchanged', () => {
    const set: SessionCommand = { kind: 'set-log-level', level: 'debug', at: 4 };

    const session = after(create, initialize, confirm, set);

    assert.equal(session.logLevel, 'debug');
    assert.deepEqual(decide(session, set), []);
  });

  test('has each subscription once, and none after it was removed', () => {
    const subscribe: SessionCommand = { kind: 'subscribe', uri: 'chat://a', at: 4 };
    const unsubscribe: SessionCommand = { kind: 'unsubscribe', uri: 'chat://a', at: 5 };

    const subscribed = after(create, subscribe, { ...subscribe, uri: 'chat://b' }, subscribe);
    const unsubscribed = after(create, subscribe, { ...subscribe, uri: 'chat://b' }, unsubscribe);

    assert.deepEqual(subscribed.subscriptions, ['chat://a', 'chat://b']);
    assert.deepEqual(unsubscribed.subscriptions, ['chat://b']);
    assert.deepEqual(decide(unsubscribed, unsubscribe), []);
  });

  test('accepts no change once it closes, and closes once', () => {
    const closing = after(create, initialize, confirm, beginClose);
    const closed = after(create, close);

    for (const session of [closing, closed]) {
      assert.equal(isOpen(session), false);
      assert.throws(() => decide(session, { kind: 'subscribe', uri: 'chat://a', at: 9 }), conflict);
      assert.throws(() => decide(session, { kind: 'set-log-level', level: 'info', at: 9 }), conflict);
      assert.deepEqual(decide(session, beginClose), []);
    }
    assert.deepEqual(decide(closed, close), []);
    assert.equal(closed.closedBecause, 'client');
  });
});

function after(...commands: readonly SessionCommand[]): Session {
  let session: Session | undefined;
  for (const command of commands) {
    for (const event of decide(session, command)) session = evolve(session, event);
  }
  assert.ok(session);
  return session;
}

function conflict(error: unknown): boolean {
  return error instanceof AppError && error.code === 'CONFLICT';
}
