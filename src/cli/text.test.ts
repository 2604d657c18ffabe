import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { visible } from '../lib/visible.ts';
import { displayWidth, padTo, truncateTo, wrap } from './text.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

describe('text on a terminal', () => {
  test('wide characters have two columns, marks and joiners none', () => {
    const widths = ['abc', '日本', '한글', 'é', 'e\u0301', '👩‍👩‍👧', '🇨🇭', '❤️', '\u200d', ''].map(displayWidth);

    assert.deepEqual(widths, [3, 4, 4, 1, 1, 2, 2, 2, 0, 0]);
  });

  test('a shortened text ends in an ellipsis and never exceeds its columns', () => {
    assert.equal(truncateTo(5, 'abcdefg'), 'abcd…');
    assert.equal(truncateTo(5, '日本語'), '日本…');
    assert.equal(truncateTo(4, '日本語'), '日…');
    assert.equal(truncateTo(0, 'abc'), '');

    fc.assert(
      fc.property(anyText, fc.nat(20), (text, width) => {
        const shown = visible(text);

        assert(displayWidth(truncateTo(width, shown)) <= width);
        assert(displayWidth(padTo(width, shown)) >= width);
      }),
    );
  });

  test('a paragraph is wrapped at spaces, and a long word is not split', () => {
    const lines = wrap(10, 'the quick brown extraordinarily fox');

    assert.deepEqual(lines, ['the quick', 'brown', 'extraordinarily', 'fox']);
  });
});
