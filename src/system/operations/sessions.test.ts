import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contextWith } from '../../../tests/support/operation-context.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/session.ts';
import type { SessionRepository } from '../ports.ts';
import { getSession } from './get-session.ts';
import { listSessions } from './list-sessions.ts';

const ready: Session = {
  id: 'b2' as SessionId,
  state: 'ready',
  principal: 'local',
  transport: 'http',
  only: ['chat'],
  createdAt: Date.UTC(2026, 0, 2),
  activeAt: Date.UTC(2026, 0, 3),
  protocolVersion: '2025-11-25',
  client: { name: 'inspector', version: '2.0' },
  subscriptions: ['switchboard://status'],
};
const fresh: Session = {
  id: 'a1' as SessionId,
  state: 'created',
  principal: 'ci',
  transport: 'stdio',
  only: [],
  createdAt: Date.UTC(2026, 0, 1),
  activeAt: Date.UTC(2026, 0, 1),
  subscriptions: [],
};

function withStored(stored: readonly Session[], asked: unknown[] = []) {
  const sessions: SessionRepository = {
    save: () => Promise.reject(new Error('not expected')),
    touch: () => Promise.reject(new Error('not expected')),
    delete: () => Promise.reject(new Error('not expected')),
    find: async (id) => stored.find((session) => session.id === id),
    list: async (filter) => {
      asked.push(filter);
      return stored.slice(0, filter?.limit);
    },
  };
  return contextWith({ sessions });
}

describe('sessions', () => {
  test('CORE-06 a session is found by its id, with the field names of the public API', async () => {
    const view = await getSession.run({ id: 'b2' }, withStored([ready, fresh]));

    assert.deepEqual(view, {
      id: 'b2',
      state: 'ready',
      client: 'inspector 2.0',
      transport: 'http',
      protocol_version: '2025-11-25',
      principal: 'local',
      only: ['chat'],
      created_at: '2026-01-02T00:00:00.000Z',
      last_active_at: '2026-01-03T00:00:00.000Z',
      subscriptions: ['switchboard://status'],
    });
  });

  test('CORE-06 an unknown id is NOT_FOUND, with a hint how to list the ids', async () => {
    const found = getSession.run({ id: 'zz' }, withStored([ready]));

    await assert.rejects(found, { code: 'NOT_FOUND', field: 'id', hint: /sessions list/ });
  });

  test('a full page has the cursor of the next one, the last page none', async () => {
    const asked: unknown[] = [];
    const context = withStored([ready, fresh], asked);

    const first = await listSessions.run(listSessions.input.parse({ limit: 1, open: true }), context);
    const both = await listSessions.run(listSessions.input.parse({ limit: 2, cursor: 'c3' }), context);

    assert.equal(first.next_cursor, 'b2');
    assert.deepEqual(
      first.sessions.map(({ id }) => id),
      ['b2'],
    );
    assert.equal(both.next_cursor, undefined);
    assert.equal(both.sessions.length, 2);
    assert.deepEqual(asked, [
      { limit: 2, open: true },
      { limit: 3, before: 'c3' },
    ]);
  });
});
