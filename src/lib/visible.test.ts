import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { visible, visibleJson, visibleLines } from './visible.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

describe('text of strangers', () => {
  test("a stranger's escapes, new lines and direction marks are shown, not obeyed", () => {
    const shown = visible('a\x1b[2Jb\r\nc\td\x9b31m\u202eevil\u2028x\u{e0041}\ud800');

    assert.equal(shown, 'a\\x1b[2Jb\\r\\nc\\td\\x9b31m\\u202eevil\\u2028x\\u{e0041}\\ud800');
  });

  test('what nobody sees but a model reads, or what turns a line round, is shown', () => {
    const shown = visible('a\u061cb\u2062c\u2064d\u206ae\ufff9f\u{e0101}');

    assert.equal(shown, 'a\\u061cb\\u2062c\\u2064d\\u206ae\\ufff9f\\u{e0101}');
    assert.equal(visible('👨‍👩‍👧 ❤️ می‌خواهم'), '👨‍👩‍👧 ❤️ می‌خواهم');
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
});
