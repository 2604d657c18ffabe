import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import type { Database } from '../database.ts';
import { clampTimestamp, createIdAllocator, idAt, parseId, timestampOf } from './message-ids.ts';

const START = Date.UTC(2026, 0, 1);

describe('ids', () => {
  test('increase with time and approximate the timestamp', () => {
    for (let at = START; at < START + 3_000; at += 1) {
      assert.ok(idAt(at + 1) > idAt(at));
      assert.ok(Math.abs(timestampOf(idAt(at)) - at) <= 1);
    }
  });

  test('an invalid timestamp is clamped', () => {
    const moments = [-5, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 9e15, 1.7, Number.NaN];

    const stored = moments.map((timestamp) => clampTimestamp(timestamp, START));

    assert.deepEqual(stored, [0, 0, 253_402_300_799_999, 253_402_300_799_999, 1, START]);
    for (const timestamp of stored)
      assert.ok(Number.isSafeInteger(idAt(timestamp)) && new Date(timestamp).toISOString());
  });

  test('only digits are a valid id', () => {
    assert.equal(parseId('0012'), 12);
    for (const id of ['', '-1', '1.5', '1e3', 'x', ' 1', '9'.repeat(16)]) assert.equal(parseId(id), undefined);
  });
});

describe('assigning ids', () => {
  test('two thousand messages with one timestamp keep their order, forwards and backwards, over several batches', async () => {
    const db = await openDatabase({ location: MEMORY, clock: systemClock });
    const allocate = createIdAllocator();
    const given: number[] = [];

    for (let batch = 0; batch < 4; batch += 1) given.push(...(await give(db, allocate, 'above', 500)));
    for (let batch = 0; batch < 4; batch += 1) given.unshift(...(await give(db, allocate, 'below', 500)));

    assert.deepEqual(
      given,
      given.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(given).size, 4_000);
    await db.close();
  });

  test('ids that another connection assigned are skipped, though they are not in the cache', async () => {
    const db = await openDatabase({ location: MEMORY, clock: systemClock });
    const [one, other] = [createIdAllocator(), createIdAllocator()];

    const given = [
      ...(await give(db, one, 'above', 600)),
      ...(await give(db, other, 'above', 600)),
      ...(await give(db, one, 'above', 600)),
      ...(await give(db, other, 'below', 600)),
    ];

    assert.equal(new Set(given).size, 2_400);
    assert.deepEqual(
      given.slice(0, 1_800),
      given.slice(0, 1_800).toSorted((a, b) => a - b),
    );
    await db.close();
  });

  test('ids are positive and unique at the epoch', async () => {
    const db = await openDatabase({ location: MEMORY, clock: systemClock });

    const given = await give(db, createIdAllocator(), 'below', 3, 0);

    assert.ok(given.every((id) => id > 0));
    assert.equal(new Set(given).size, 3);
    await db.close();
  });
});

/**
 * Assigns ids to `count` messages with the same timestamp and stores them; returns the ids in the order of the
 * messages.
 */
function give(
  db: Database,
  allocate: ReturnType<typeof createIdAllocator>,
  direction: 'above' | 'below',
  count: number,
  timestamp = START,
): Promise<number[]> {
  return db.write((tx) => {
    const ids = allocate(tx);
    const given = Array.from({ length: count }, () => ids[direction](timestamp));
    for (const id of given) {
      tx.run(
        `insert into messages (id, chat, sender, external_id, at, own, content_type, text) values (?, 1, 1, ?, ?, 0, 'text', '')`,
        id,
        String(id),
        timestamp,
      );
    }
    return direction === 'above' ? given : given.reverse();
  });
}
