import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { rangesOf, stepsOf } from './uid-steps.ts';

const uids = fc
  .uniqueArray(fc.integer({ min: 1, max: 5_000 }), { maxLength: 60 })
  .map((list) => list.sort((a, b) => a - b));
const sizes = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 5 }))
  .map(([first, more]) => ({ first, most: first + more }));
const gap = { from: 1, to: 5_000 };

describe('steps', () => {
  test('contain every UID once, older ones from the newest on', () => {
    fc.assert(
      fc.property(uids, sizes, (list, size) => {
        const newer = stepsOf(list, { ...gap, direction: 'newer' }, size);
        const older = stepsOf(list, { ...gap, direction: 'older' }, size);

        assert.deepEqual(
          newer.flatMap((step) => step.uids),
          list,
        );
        assert.deepEqual(
          older.toReversed().flatMap((step) => step.uids),
          list,
        );
        assert.ok([...newer, ...older].every((step) => step.uids.length <= size.most));
      }),
    );
  });

  test('say after each how far the folder is stored, and at the end that it is', () => {
    fc.assert(
      fc.property(uids, sizes, (list, size) => {
        const newer = stepsOf(list, { ...gap, direction: 'newer' }, size);
        const older = stepsOf(list, { ...gap, direction: 'older' }, size);

        const seen: number[] = [];
        for (const { uids: some, bound } of newer) {
          seen.push(...some);
          assert.deepEqual(
            seen,
            list.filter((uid) => uid < bound),
          );
        }
        seen.length = 0;
        for (const { uids: some, bound } of older) {
          seen.unshift(...some);
          assert.deepEqual(
            seen,
            list.filter((uid) => uid >= bound),
          );
        }
        assert.deepEqual([newer.at(-1)?.bound, older.at(-1)?.bound], [5_001, 1]);
      }),
    );
  });
});

test('the first step of older emails is a small one, so that the newest are there soon', () => {
  const list = Array.from({ length: 12_000 }, (_, index) => index + 1);

  const older = stepsOf(list, { from: 1, to: 12_000, direction: 'older' });

  assert.deepEqual(
    older.map((step) => step.uids.length),
    [200, 1_000, 5_000, 5_000, 800],
  );
});

describe('ranges', () => {
  test('contain all UIDs in their order, and none that is avoided', () => {
    fc.assert(
      fc.property(uids, fc.array(fc.integer({ min: 1, max: 5_000 })), (list, others) => {
        const wanted = list.filter((uid) => !others.includes(uid));

        const ranges = rangesOf(wanted, others);

        const within = (uid: number) => ranges.filter(({ from, to }) => from <= uid && uid <= to).length;
        assert.ok(wanted.every((uid) => within(uid) === 1));
        assert.ok(others.every((uid) => within(uid) === 0));
        assert.ok(ranges.every(({ from, to }, index) => from <= to && from > (ranges[index - 1]?.to ?? 0)));
        assert.ok(ranges.every(({ from, to }) => wanted.includes(from) && wanted.includes(to)));
      }),
    );
  });

  test('are few where UIDs are near to each other', () => {
    assert.deepEqual(rangesOf([1, 2, 50, 149, 400]), [
      { from: 1, to: 149 },
      { from: 400, to: 400 },
    ]);
  });
});
