import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import type { SessionId } from '../domain/ids.ts';
import { evolve, type Session } from '../domain/session.ts';
import type { Log } from '../lib/log.ts';
import { startHousekeeping } from './housekeeping.ts';

const DAY = 24 * 60 * 60 * 1000;
const silent = { info() {}, warn() {} } as unknown as Log;

function session(id: string, transport: Session['transport'], at: number): Session {
  const facts = { id: id as SessionId, principal: 'local', transport, only: [] };
  return evolve(undefined, { type: 'SessionCreated', ...facts, at });
}

describe('housekeeping', () => {
  before(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1_000 * DAY }));
  after(() => mock.timers.reset());

  test('after a minute, abandoned sessions are closed and old data is deleted', async () => {
    const saved: Session[] = [];
    const forgotten: [string, number][] = [];
    const now = Date.now();
    const all = [
      session('4', 'stdio', now + 5),
      session('3', 'http', now - 5),
      session('2', 'stdio', now - 5),
      session('1', 'stdio', now - 5),
    ];
    const stop = startHousekeeping({
      sessions: {
        list: async () => all,
        save: async (one: Session) => void saved.push(one),
        touch: async () => {},
        find: async () => undefined,
        delete: async () => false,
      },
      retention: ['letters', 'drafts'].map((what) => ({ what, forget: async (at) => forgotten.push([what, at]) })),
      clock: { now: () => Date.now() },
      log: silent,
      sessionIdleMs: DAY,
      isHeld: ({ id }) => id === '2',
    });

    mock.timers.tick(59_000);
    const early = saved.length;
    mock.timers.tick(2_000);
    await stop();

    assert.equal(early, 0);
    assert.deepEqual(
      saved.map(({ id, state, closedBecause }) => [id, state, closedBecause]),
      [['1', 'closed', 'connection lost']],
    );
    assert.deepEqual(
      forgotten.map(([what]) => what),
      ['letters', 'drafts'],
    );
    assert.ok(forgotten.every(([, at]) => at >= now + 60_000));
  });
});
