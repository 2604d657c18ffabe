import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUsage, costOf, NO_USAGE, totalTokens } from './token-usage.ts';

const usage = { input: 1_000_000, output: 500_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 };

test('costs count reading from the cache as a tenth, and writing to it as five quarters', () => {
  assert.equal(costOf(usage, { input: 4, output: 20 }), 4 + 0.4 + 5 + 10);
  assert.equal(costOf(usage, undefined), undefined);
});

test('usage adds up', () => {
  assert.deepEqual(addUsage(usage, NO_USAGE), usage);
  assert.equal(totalTokens(addUsage(usage, usage)), 7_000_000);
});
