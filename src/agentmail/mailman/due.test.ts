import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Letter } from '../letter.ts';
import type { Presence } from '../mailbox/recipients-file.ts';
import { dueIn } from './due.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('an agent is notified of its mail', () => {
  test('immediately when it is ready and was never notified', () => {
    assert.equal(due({}, [letter('a', -SECOND)]), 0);
  });

  test('never while it works, is offline, or has read everything', () => {
    assert.equal(due({ status: 'work' }, [letter('a')]), undefined);
    assert.equal(due({ status: 'offline' }, [letter('a')]), undefined);
    assert.equal(due({}, []), undefined);
  });

  test('of new letters at the earliest a minute after the last notification', () => {
    assert.equal(due({ notifiedAt: NOW - 20 * SECOND }, [letter('new', -SECOND)]), 40 * SECOND);
    assert.equal(due({ notifiedAt: NOW - 2 * MINUTE }, [letter('new', -SECOND)]), 0);
  });

  test('of the same letters again only after ten minutes, also if its status changed in between', () => {
    const announced = { a: NOW - 4 * MINUTE };

    assert.equal(due({ notifiedAt: NOW - 4 * MINUTE }, [letter('a', -5 * MINUTE)], announced), 6 * MINUTE);
    assert.equal(due({}, [letter('a', -5 * MINUTE)], announced), 6 * MINUTE);
    assert.equal(due({}, [letter('a', -30 * MINUTE)], { a: NOW - 11 * MINUTE }), 0);
  });

  test('of the remaining letters after a minute if it has read some since', () => {
    const announced = { b: NOW - 2 * MINUTE };

    assert.equal(due({ lastReadAt: NOW - MINUTE }, [letter('b', -5 * MINUTE)], announced), 0);
    assert.equal(due({ lastReadAt: NOW - 3 * MINUTE }, [letter('b', -5 * MINUTE)], announced), 8 * MINUTE);
  });

  test('mail without stored state counts as announced when it is older than the notice', () => {
    assert.equal(due({ notifiedAt: NOW - 2 * MINUTE }, [letter('original', -3 * MINUTE)]), 8 * MINUTE);
    assert.equal(due({ notifiedAt: NOW - 2 * MINUTE }, [{ ...letter('old'), createdAt: '' }]), 8 * MINUTE);
  });
});

function letter(id: string, age = 0): Letter {
  return { id, from: 'a1', to: 'a2', message: 'x', isRead: false, createdAt: new Date(NOW + age).toISOString() };
}

function due(presence: Partial<Presence>, unread: Letter[], announced: Record<string, number> = {}) {
  const whole: Presence = { name: 'a2', status: 'ready', updatedAt: NOW, ...presence };
  return dueIn({ presence: whole, unread, announcedAt: ({ id }) => announced[id] }, NOW);
}
