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
  assert.deepEqual(merged, [
    ['message_words', 200],
    ['message_words', 200],
    ['message_words', 200],
    ['message_words', 150],
    ['message_term_parts', 200],
  ]);
});

test('many words are merged at once', async () => {
  const { db, merged, isMerged } = fakeDatabase();

  createMergeScheduler(db, 60_000).wordsAdded(404_000);
  await isMerged;

  const pages = merged.filter(([index]) => index === 'message_words').map(([, each]) => each);
  assert.deepEqual(pages, [...Array.from({ length: 50 }, () => 200), 100]);
});

test('few segments are not merged', async () => {
  const { db, merged } = fakeDatabase(8);

  createMergeScheduler(db, 60_000).wordsAdded(404_000);
  await new Promise((resolve) => setImmediate(resolve));

  assert.deepEqual(merged, []);
});

/** Records the steps of each merge. The words have more to merge than is asked for, other indexes less. */
function fakeDatabase(segments = 9) {
  const merged: [index: string, pages: number][] = [];
  const { promise: isMerged, resolve } = Promise.withResolvers<void>();
  const db = {
    location: 'file',
    read: async () => segments,
    async inBackground({ index, pages }: { index: string; pages: number }) {
      merged.push([index, pages]);
      if (index === 'message_term_parts') resolve();
      return index === 'message_words';
    },
  };
  return { db: db as unknown as Database, merged, isMerged };
}
