import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sha256Hex } from './sha256.ts';

describe('SHA-256 without node:crypto', () => {
  test('gives what node:crypto gives, for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        assert.equal(sha256Hex(text), hash('sha256', text));
      }),
    );
  });

  test('is right around the ends of blocks', () => {
    for (let length = 0; length < 200; length++) {
      const text = 'é'.repeat(length % 7) + 'x'.repeat(length);

      assert.equal(sha256Hex(text), hash('sha256', text));
    }
  });
});
