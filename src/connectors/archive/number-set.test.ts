import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNumberSet } from './number-set.ts';

test('a set of numbers counts each once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 100_000 })), (values) => {
      const set = createNumberSet();
      for (const value of values) set.add(value);
      assert.equal(set.size, new Set(values).size);
    }),
  );
});
