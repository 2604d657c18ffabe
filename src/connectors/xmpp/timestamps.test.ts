import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createLatest, fromCursor, inOrder, notBefore, toCursor } from './timestamps.ts';

describe('a cursor of an archive', () => {
  test('is decoded to the same id and timestamp, for any id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (id, at) => {
        assert.deepEqual(fromCursor(toCursor({ id, at })), { id, at });
      }),
    );
  });

  test('without a timestamp is only an id', () => {
    assert.deepEqual(fromCursor('2026-11-16-abc'), { id: '2026-11-16-abc' });
  });
});

describe('timestamps', () => {
  test('in whole seconds are ordered after an earlier message of the same second', () => {
    assert.deepEqual(inOrder([1_000, 1_000, 2_000], 1_900), [1_900, 1_900, 2_000]);
  });

  test('are unchanged without an earlier one, or if a clock is clearly wrong', () => {
    assert.deepEqual(inOrder([3, 1, 2]), [3, 3, 3]);
    assert.equal(notBefore(1_000, undefined), 1_000);
    assert.equal(notBefore(1_000, 10_000_000), 1_000);
  });

  test('the latest of each timeline is remembered, in any order', () => {
    const latest = createLatest();

    for (const at of [5, 9, 7]) latest.note('a', at);

    assert.deepEqual([latest.of('a'), latest.of('b')], [9, undefined]);
  });
});
