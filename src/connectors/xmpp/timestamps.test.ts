import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createLatest, fromCursor, inOrder, notBefore, toCursor } from './timestamps.ts';

describe('a place in an archive', () => {
  test('is given back as it was, whatever the archive’s id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (id, at) => {
        assert.deepEqual(fromCursor(toCursor({ id, at })), { id, at });
      }),
    );
  });

  test('without a timestamp is an id alone', () => {
    assert.deepEqual(fromCursor('2026-11-16-abc'), { id: '2026-11-16-abc' });
  });
});

describe('timestamps', () => {
  test('of one second stand after what came in the middle of it', () => {
    assert.deepEqual(inOrder([1_000, 1_000, 2_000], 1_900), [1_900, 1_900, 2_000]);
  });

  test('are left alone where there is nothing before, or where a clock is plainly wrong', () => {
    assert.deepEqual(inOrder([3, 1, 2]), [3, 3, 3]);
    assert.equal(notBefore(1_000, undefined), 1_000);
    assert.equal(notBefore(1_000, 10_000_000), 1_000);
  });

  test('the latest of a timeline is remembered, in whatever order it is told', () => {
    const latest = createLatest();

    for (const at of [5, 9, 7]) latest.note('a', at);

    assert.deepEqual([latest.of('a'), latest.of('b')], [9, undefined]);
  });
});
