import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold, foldTogether } from './fold.ts';

/** Letters, accents, scripts without spaces, emoji, lone surrogates: ordinary and hostile input. */
const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.string());

describe('folding', () => {
  test('ignores case, accents, width and invisible characters', () => {
    const pairs = [
      ['Straße STRASSE ẞ ÉTÉ', 'strasse strasse ss ete'],
      ['և ԵՒ', 'եւ եւ'],
      ['ΟΔΟΣ οδός', 'οδοσ οδοσ'],
      ['İstanbul', 'istanbul'],
      ['ﬁne ＡＢＣ①', 'fine abc1'],
      ['Ёлка', 'елка'],
      ['مُحَمَّد', 'محمد'],
      ['محـــمد a\u0640b', 'محمد ab'],
      ['soft\u00adhyphen zero\u200bwidth', 'softhyphen zerowidth'],
      ['👍🏽👨‍👩‍👧', '👍👨👩👧'],
      ['a \n\t b', 'a b'],
    ];

    for (const [text = '', folded] of pairs) assert.equal(fold(text), folded);
  });

  test('keeps characters that carry meaning', () => {
    for (const text of ['がぎ', 'ガパ', 'हिन्दी', 'สวัสดี', '한국어']) assert.equal(fold(text), text);
    assert.notEqual(fold('か'), fold('が'));
    assert.equal(fold('か\u3099'), 'が');
  });

  test('is idempotent', () => {
    fc.assert(fc.property(anyText, (text) => fold(fold(text)) === fold(text)));
  });

  test('character by character is the same as by the rules of Unicode', () => {
    const sentences = fc.array(
      fc.constantFrom(
        'Straße',
        'Ёлка',
        '…',
        'か\u3099',
        '\u1100\u1161',
        'e\u0301',
        '👍🏽',
        '\u00a0 ',
        '\ufdfa',
        '\ud800',
      ),
    );
    const same = (text: string) => assert.equal(fold(text), foldTogether(text));

    for (let code = 0; code < 0x1_00_00; code += 1)
      same(`É${String.fromCharCode(code)}a ${String.fromCharCode(code, code)}`);
    fc.assert(fc.property(anyText, same));
    fc.assert(fc.property(sentences, (parts) => same(parts.join(''))));
  });
});
