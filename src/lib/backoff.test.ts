import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { backoffDelay, withJitter } from './backoff.ts';

describe('backoff', () => {
  test('the delay doubles with each failure, up to the maximum', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((failures) => backoffDelay(failures, { firstMs: 100, longestMs: 1_000 }));

    assert.deepEqual(delays, [100, 200, 400, 800, 1_000, 1_000]);
  });

  test('it may grow by another factor', () => {
    const delays = [1, 2, 3].map((failures) => backoffDelay(failures, { firstMs: 4, longestMs: 8, factor: 1.5 }));

    assert.deepEqual(delays, [4, 6, 8]);
  });

  test('any number of failures has a delay', () => {
    assert.equal(backoffDelay(0, { firstMs: 5, longestMs: 50 }), 5);
    assert.equal(backoffDelay(1e9, { firstMs: 5, longestMs: 50 }), 50);
    assert.equal(backoffDelay(1e9, { firstMs: 0, longestMs: 50 }), 0);
  });

  test('jitter varies a delay by up to a quarter', () => {
    const delays = [0, 0.5, 1].map((chance) => withJitter(1_000, () => chance));

    assert.deepEqual(delays, [750, 1_000, 1_250]);
  });
});
