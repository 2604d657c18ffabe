import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fitsWildcard } from './wildcard.ts';

describe('patterns with *', () => {
  test('HOST-22 stand for any characters, also none', () => {
    const fits = (pattern: string, ...texts: string[]) => texts.map((text) => fitsWildcard(pattern, text));

    assert.deepEqual(fits('get_*', 'get_', 'get_x', 'xget_'), [true, true, false]);
    assert.deepEqual(fits('*_all', 'delete_all', '_all', 'all'), [true, true, false]);
    assert.deepEqual(fits('a*b*c', 'abc', 'a1b2c', 'acb'), [true, true, false]);
    assert.deepEqual(fits('ab*ba', 'aba', 'abba'), [false, true]);
    assert.deepEqual(fits('exact', 'exact', 'exactly'), [true, false]);
  });

  test('HOST-22 are the same as regular expressions', () => {
    const words = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 8 }).map((parts) => parts.join(''));
    const texts = fc.array(fc.constantFrom('a', 'b'), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, texts, (pattern, text) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text);

        assert.equal(fitsWildcard(pattern, text), expected);
      }),
    );
  });
});
