import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../../tests/support/store/open-store.ts';
import { systemClock } from '../../lib/clock.ts';
import { MEMORY } from './connection.ts';
import { appendEvents } from './event-log.ts';
import { skipLostEventNumbers } from './skip-lost-event-numbers.ts';

const BOOT = 29_000_000;

test('event numbers continue while the machine runs, and are skipped once after a boot', async (t) => {
  const { db, nextNumber } = await start(t);
  await skipLostEventNumbers(db, BOOT);

  const first = await nextNumber();
  await skipLostEventNumbers(db, BOOT + 1);
  const second = await nextNumber();
  await skipLostEventNumbers(db, BOOT + 600);
  const third = await nextNumber();
  await skipLostEventNumbers(db, BOOT + 600);
  const fourth = await nextNumber();

  assert.deepEqual([first, second, third, fourth], [1, 2, 10_003, 10_004]);
});

test('a clock that was set back counts as another boot', async (t) => {
  const { db, nextNumber } = await start(t);
  await skipLostEventNumbers(db, BOOT);
  await nextNumber();

  await skipLostEventNumbers(db, BOOT - 600);

  assert.equal(await nextNumber(), 10_002);
});

async function start(t: TestContext) {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  t.after(() => db.close());
  const nextNumber = () =>
    db.write((tx) => appendEvents(tx, [{ type: 'session.created', subject: 's', data: {} }], 0)[0]?.number);
  return { db, nextNumber };
}
