import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_UID, numbersOf, rangeText, uidSet, uidSets } from './uid-set.ts';

const uids = fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: MAX_UID })));

test('a set is as short as its ranges', () => {
  assert.equal(uidSet([7, 3, 2, 1, 2]), '1:3,7');
  assert.equal(uidSet([]), '');
});

test('a set means the numbers it was made of', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: MAX_UID }), { minLength: 1 }), (numbers) => {
      const expected = [...new Set(numbers)].sort((a, b) => a - b);

      assert.deepEqual(numbersOf(uidSet(numbers), numbers.length), expected);
    }),
  );
});

test('sets for commands are short, ascending, and together complete', () => {
  const spread = Array.from({ length: 5_000 }, (_, index) => 4_000_000_000 - index * 3);

  const sets = uidSets(spread);

  assert.ok(sets.length > 1);
  assert.ok(sets.every(({ set }) => set.length <= 4_000));
  assert.deepEqual(
    sets.flatMap(({ set }) => numbersOf(set, 5_000)),
    spread.toReversed(),
  );
  fc.assert(
    fc.property(uids, (numbers) => {
      assert.deepEqual(
        uidSets(numbers).flatMap((each) => each.uids),
        numbers.toSorted((a, b) => a - b),
      );
    }),
  );
});

test('what a server sends is a set within the limit, or nothing', () => {
  assert.deepEqual(numbersOf('3:1,2', 4), [1, 2, 3]);
  for (const hostile of ['1:4294967295', '1:*', '*', '', '0', '0:3', '1,,2', '-1', '1e3', 'x', '1:2:3', '4294967296']) {
    assert.equal(numbersOf(hostile, 1_000), undefined, hostile);
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      const numbers = numbersOf(text, 100) ?? [];

      assert.ok(numbers.length <= 100);
    }),
  );
});

test('a range is within what UIDs can be, or empty', () => {
  assert.equal(rangeText({ from: 0, to: Number.POSITIVE_INFINITY }), `1:${MAX_UID}`);
  assert.equal(rangeText({ from: 5, to: 5 }), '5:5');
  assert.equal(rangeText({ from: 6, to: 5 }), undefined);
});
