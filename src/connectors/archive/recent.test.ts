import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createRecent } from './recent.ts';

describe('the cache of recent entries', () => {
  test('has all of the last entries, with their latest values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.stringMatching(/^[a-h]$/), fc.nat())),
        fc.integer({ min: 1, max: 6 }),
        (entries, count) => {
          const recent = createRecent<number>(count);
          for (const [key, value] of entries) recent.set(key, value);
          const newest = new Map(entries.slice(-count));

          for (const [key, value] of newest) assert.equal(recent.get(key), value);
        },
      ),
    );
  });

  test('removes old entries unless they were read', () => {
    const recent = createRecent<number>(2);
    recent.set('kept', 1);
    recent.set('lost', 2);
    for (let step = 0; step < 10; step++) {
      recent.set(`other ${step}`, step);
      recent.get('kept');
    }

    assert.deepEqual([recent.get('kept'), recent.get('lost')], [1, undefined]);
  });
});
