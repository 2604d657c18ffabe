import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { visible, visibleJson, visibleLines } from './visible.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

describe('untrusted text', () => {
  test('escape sequences, newlines and direction marks are shown, not interpreted', () => {
    const shown = visible('a\x1b[2Jb\r\nc\td\x9b31m\u202eevil\u2028x\u{e0041}\ud800');

    assert.equal(shown, 'a\\x1b[2Jb\\r\\nc\\td\\x9b31m\\u202eevil\\u2028x\\u{e0041}\\ud800');
  });

  test('invisible characters that a model reads, and those that reverse a line, are shown', () => {
    const shown = visible('a\u061cb\u2062c\u2064d\u206ae\ufff9f\u{e0101}');

    assert.equal(shown, 'a\\u061cb\\u2062c\\u2064d\\u206ae\\ufff9f\\u{e0101}');
    assert.equal(visible('👨‍👩‍👧 ❤️ می‌خواهم'), '👨‍👩‍👧 ❤️ می‌خواهم');
  });

  test('our own text keeps its newlines and nothing else', () => {
    const shown = visibleLines('one\ntwo\x07');

    assert.equal(shown, 'one\ntwo\\x07');
  });

  test('every result is one line without a control character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.doesNotMatch(visible(text), /\p{Cc}|[\u2028\u2029\u202e]/u);
      }),
    );
  });

  test('JSON that is safe for a terminal parses as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const json = visibleJson(value);

        assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)));
        assert.doesNotMatch(json, /\p{Cc}|[\u2028\u2029\u202e\u2066]/u);
      }),
    );
  });
});
