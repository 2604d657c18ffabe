import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../database.ts';
import { createMergeScheduler } from './merge-scheduler.ts';

test('some words are merged after a while, together with those that follow', async () => {
  const { db, merged, isMerged } = fakeDatabase();
  const scheduler = createMergeScheduler(db, 10);

  scheduler.wordsAdded(9_999);
  scheduler.wordsAdded(10_001);
  scheduler.wordsAdded(10_000);
  const before = [...merged];
  // The timer of the scheduler does not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  await isMerged;
  clearInterval(alive);

  assert.deepEqual(before, []);
  assert.deepEqual(merged, [750, 750]);
});

test('many words are merged at once', async () => {
  const { db, merged, isMerged } = fakeDatabase();

  createMergeScheduler(db, 60_000).wordsAdded(60_000);
  await isMerged;

  assert.deepEqual(merged, [1_500, 1_500]);
});

/** Records the pages of each merge; there are two indexes. */
function fakeDatabase() {
  const merged: number[] = [];
  const { promise: isMerged, resolve } = Promise.withResolvers<void>();
  const db = {
    location: 'file',
    async inBackground(task: { pages: number }) {
      merged.push(task.pages);
      if (merged.length === 2) resolve();
      return false;
    },
  };
  return { db: db as unknown as Database, merged, isMerged };
}
