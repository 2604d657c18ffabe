import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeNewest } from './merge-newest.ts';

test('several iterators are merged into one, newest first, each row once', async () => {
  const walk = fc.uniqueArray(fc.nat(200)).map((ids) => ids.sort((a, b) => b - a));
  await fc.assert(
    fc.asyncProperty(fc.array(walk, { maxLength: 5 }), fc.integer({ min: 1, max: 7 }), async (walks, size) => {
      const merged: number[] = [];

      for await (const rows of mergeNewest(walks.map((ids) => inPieces(ids, size)))) {
        merged.push(...rows.map(({ id }) => id));
      }

      assert.deepEqual(
        merged,
        [...new Set(walks.flat())].sort((a, b) => b - a),
      );
    }),
  );
});

/** With empty batches in between. */
async function* inPieces(ids: readonly number[], size: number): AsyncGenerator<{ id: number }[]> {
  for (let start = 0; start < ids.length; start += size) {
    yield [];
    yield ids.slice(start, start + size).map((id) => ({ id }));
  }
}
