import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import { openDatabase } from '../../../tests/support/store/open-store.ts';
import { SHARED_MIGRATIONS } from './migrations/index.ts';
import { storeProblems } from './readiness.ts';

test('a store that is open and up to date has no problems', async () => {
  const db = await openDatabase({ location: ':memory:', clock: manualClock() });

  assert.deepEqual(await storeProblems(db), []);
});

test('a store that a newer version has changed since is not ready', async () => {
  const db = await openDatabase({ location: ':memory:', clock: manualClock() });
  await db.write((tx) =>
    tx.run(
      'insert into switchboard_migrations (number, name, checksum, applied_at) values (?, ?, ?, ?)',
      SHARED_MIGRATIONS.length + 1,
      'later',
      'x',
      0,
    ),
  );

  assert.deepEqual(await storeProblems(db), ['The store has the schema of another version.']);
});

test('a closed store does not answer', async () => {
  const db = await openDatabase({ location: ':memory:', clock: manualClock() });
  await db.close();

  assert.deepEqual(await storeProblems(db), ['The store does not answer.']);
});
