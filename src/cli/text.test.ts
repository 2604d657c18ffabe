import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { displayWidth, padTo, truncateTo, visible, visibleJson, visibleLines, wrap } from './text.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

describe('text on a terminal', () => {
  test("a stranger's escapes, new lines and direction marks are shown, not obeyed", () => {
    const shown = visible('a\x1b[2Jb\r\nc\td\x9b31m\u202eevil\u2028x\u{e0041}\ud800');

    assert.equal(shown, 'a\\x1b[2Jb\\r\\nc\\td\\x9b31m\\u202eevil\\u2028x\\u{e0041}\\ud800');
  });

  test('text of our own keeps its lines and nothing else', () => {
    const shown = visibleLines('one\ntwo\x07');

    assert.equal(shown, 'one\ntwo\\x07');
  });

  test('whatever is made visible is one line without a control character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.doesNotMatch(visible(text), /\p{Cc}|[\u2028\u2029\u202e]/u);
      }),
    );
  });

  test('JSON that is safe for a terminal reads as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const json = visibleJson(value);

        assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)));
        assert.doesNotMatch(json, /\p{Cc}|[\u2028\u2029\u202e\u2066]/u);
      }),
    );
  });

  test('wide characters take two columns, marks and joiners none', () => {
    const widths = ['abc', '日本', '한글', 'é', 'e\u0301', '👩‍👩‍👧', '🇨🇭', '❤️', '\u200d', ''].map(displayWidth);

    assert.deepEqual(widths, [3, 4, 4, 1, 1, 2, 2, 2, 0, 0]);
  });

  test('a cut text ends in an ellipsis and never takes more columns than it may', () => {
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

  test('a paragraph is broken at spaces, and a long word keeps its line', () => {
    const lines = wrap(10, 'the quick brown extraordinarily fox');

    assert.deepEqual(lines, ['the quick', 'brown', 'extraordinarily', 'fox']);
  });
});
