import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fromVisible, visible, visibleData, visibleDeep, visibleJson, visibleLines, visibleText } from './visible.ts';

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

  test('a text is shown in the same way with and without an emoji after it that has a hidden character', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: fc.constantFrom(...'a\r\n\t\x1b\x85é😀') })), (text) => {
        for (const show of [visible, visibleText, visibleData])
          assert.equal(show(`${text}. ❤️`), `${show(`${text}.`)} ❤️`);
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

/** What a reader does not see, and what a terminal obeys. */
const HIDDEN = [
  ...[0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x200b, 0x200e, 0x200f, 0x2060, 0x2064, 0x3164],
  ...[
    0xfe00, 0xfe01, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0x1d173, 0xe0001, 0xe0020, 0xe0041, 0xe007f, 0xe0100,
    0xe01ef,
  ],
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200c, 0x200d],
  ...[0x00, 0x07, 0x08, 0x0b, 0x0c, 0x1b, 0x7f, 0x85, 0x90, 0x9b, 0x9d],
].map((code) => String.fromCodePoint(code));

describe('invisible characters', () => {
  for (const [what, text] of Object.entries({
    'emoji with joiners and skin tones': '👨‍👩‍👧‍👦 🧑🏽‍🚀 👩🏻‍🦰 🏃‍➡️ 👁‍🗨 🏳️‍⚧️ ❤️‍🔥',
    'emoji as a picture or as text': '❤️ ☎︎ 1️⃣ #️⃣ ©️',
    'flags made of tags': '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    Persian: 'می‌خواهم نمی‌دانم',
    'Hindi, Sinhala and Malayalam': 'क्‍ष ශ්‍රී ന്‍',
    Mongolian: '\u1820\u180b',
    'Han, Hangul, Arabic and accents': '木曜 한국어 العربية e\u0301',
  })) {
    test(`belong to ${what}`, () => {
      for (const show of [visible, visibleText, visibleData]) assert.equal(show(text), text);
    });
  }

  test('are shown after letters, spaces, signs, emoji and each other', () => {
    for (const hidden of HIDDEN) {
      for (const before of ['a', ' ', '木', '\u200b', '']) {
        for (const show of [visible, visibleText])
          assert.ok(!show(`${before}${hidden}b`).includes(hidden), escape(hidden));
      }
    }
    assert.equal(visible('😀\ufe0f\ufe0f'), '😀\ufe0f\\ufe0f');
    assert.equal(visible('😀\u200d'), '😀\\u200d');
    assert.equal(visible('م\u200c\u200cی'), 'م\\u200c\\u200cی');
    assert.equal(visible('\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}'), '\u{1f3f4}\\u{e0068}\\u{e0069}\\u{e007f}');
  });

  test('that separate words of a script without spaces are dropped', () => {
    assert.equal(visible('ខ្ញុំ\u200bស្រលាញ់'), 'ខ្ញុំស្រលាញ់');
    assert.equal(visible('pay\u200bpal'), 'pay\\u200bpal');
    assert.deepEqual(JSON.parse(visibleJson('ខ្ញុំ\u200bស្រលាញ់')), 'ខ្ញុំ\u200bស្រលាញ់');
  });

  test('a text has its line breaks and tabs, but no carriage return alone', () => {
    assert.equal(visibleText('a\tb\nc\r\nd\re\x1b[2J'), 'a\tb\nc\r\nd\\re\\x1b[2J');
    assert.equal(visibleData('a\x1b[31m\r\x07\u200b'), 'a\x1b[31m\r\x07\\u200b');
  });

  test('are shown in all texts and names of a value, which is otherwise the same object', () => {
    const clean = { a: ['x', { b: 'é\n' }], n: 1, none: null };

    assert.equal(visibleDeep(clean), clean);
    assert.deepEqual(visibleDeep({ 'k\u200b': ['x\u2060', { b: 'y' }], n: 1 }), {
      'k\\u200b': ['x\\u2060', { b: 'y' }],
      n: 1,
    });
  });

  test('a joiner after an invisible vowel joins nothing', () => {
    assert.equal(visible('\u17b5\u200c'), '\\u17b5\\u200c');
  });

  test('a shown text is harmless, is shown the same again, and can be read back', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...HIDDEN, 'a', '😀', 'م', '\n'), anyText)), (pieces) => {
        const text = pieces.join('');
        const shown = visible(text);

        assert.equal(visible(shown), shown);
        assert.doesNotMatch(shown, /[\p{Cc}\u2028-\u202e\u2060-\u206f\u200b\u3164\ufeff]|\u{e0100}|\u{e01ef}/u);
        if (!text.includes('\\') && text.isWellFormed() && !/[\u0e00-\u109f\u1780-\u17ff]/.test(text)) {
          assert.equal(fromVisible(shown), text);
        }
      }),
    );
  });

  test('a text of any length is read once', () => {
    for (const piece of ['\u200d', '\ufe0f', '😀\u200d', 'م\u200c', '\u{1f3f4}\u{e0067}', '\\']) {
      assert.ok(visible(piece.repeat(200_000)).length >= 200_000);
    }
  });
});
