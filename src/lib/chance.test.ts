import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomHex } from './chance.ts';

describe('random digits', () => {
  test('have the requested length', () => {
    const lengths = [0, 1, 2, 15, 16, 4_096].map((digits) => randomHex(digits).length);

    assert.deepEqual(lengths, [0, 1, 2, 15, 16, 4_096]);
    assert.match(randomHex(1_000), /^[0-9a-f]+$/);
  });

  test('do not repeat', () => {
    const drawn = new Set(Array.from({ length: 10_000 }, () => randomHex(16)));

    assert.equal(drawn.size, 10_000);
  });

  test('are uniformly distributed', () => {
    const counts = new Map<string, number>();
    for (const digit of randomHex(160_000)) counts.set(digit, (counts.get(digit) ?? 0) + 1);

    assert.equal(counts.size, 16);
    // Twenty standard deviations.
    for (const count of counts.values()) assert.ok(Math.abs(count - 10_000) < 2_000, String(count));
  });
});
