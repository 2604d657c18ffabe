import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createDigestMap, digestOf } from './digest-map.ts';

test('a map by digest answers as a map by text, while it grows', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.nat(1_000_000)), { maxLength: 3_000 }),
      (pairs) => {
        const [byDigest, byText] = [createDigestMap(), new Map<string, number>()];
        for (const [text, value] of pairs) {
          byDigest.set(digestOf(`text ${text}`), value);
          byText.set(`text ${text}`, value);
        }

        assert.equal(byDigest.size, byText.size);
        for (let text = 0; text <= 2_000; text += 1) {
          assert.equal(byDigest.get(digestOf(`text ${text}`)), byText.get(`text ${text}`));
        }
      },
    ),
    { numRuns: 20 },
  );
});
