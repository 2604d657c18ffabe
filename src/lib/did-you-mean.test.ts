import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { closest } from './did-you-mean.ts';

describe('did you mean', () => {
  const commands = ['backup', 'check', 'vacuum', 'restore'];

  test('a typo finds the intended word', () => {
    const found = ['bakcup', 'chek', 'vaccuum', 'RESTORE'].map((word) => closest(word, commands));

    assert.deepEqual(found, ['backup', 'check', 'vacuum', 'restore']);
  });

  test('a prefix of one word finds it, a prefix of several finds none', () => {
    const found = ['vac', 'RES', 'b', 'st'].map((word) => closest(word, [...commands, 'status', 'stop']));

    assert.deepEqual(found, ['vacuum', 'restore', undefined, undefined]);
  });

  test('a word that resembles none finds nothing', () => {
    const found = ['', 'x', 'telegram', 'z'.repeat(1_000_000)].map((word) => closest(word, commands));

    assert.deepEqual(found, [undefined, undefined, undefined, undefined]);
  });

  test('one missing, added, changed or swapped letter is always near enough', () => {
    const words = fc.string({ minLength: 3, maxLength: 20 });

    fc.assert(
      fc.property(words, fc.nat(), (word, seed) => {
        const place = seed % word.length;
        const shortened = word.slice(0, place) + word.slice(place + 1);

        assert.equal(closest(shortened, [word]), word);
      }),
    );
  });
});
