import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold } from './fold.ts';
import { signTokens } from './signs.ts';

describe('the tokens of signs', () => {
  test('are those of rare signs, and of two common ones side by side', () => {
    const table: [string, string[]][] = [
      ['hello, world. it-is', []],
      ['wait...', []],
      ['C#', ['_p23', '_p23_ac']],
      ['[you] [me]', ['_p5b', '_p5d', '_p5b_by', '_p5d_au', '_p5b_bm', '_p5d_ae']],
      ['foo_bar', ['_p5f', '_p5f_ao', '_p5f_bb']],
      ['what?!', ['_p21', '_p3f', '_p3f_21']],
      ['a -- b', ['_p2d_2d']],
      ['%>%', ['_p25']],
      ['c++ $x', []],
      ['«oui» 東京。', ['_pab', '_pbb', '_p3002']],
    ];

    for (const [text, tokens] of table) assert.deepEqual(signTokens(text), tokens, text);
  });

  test('of a part are among those of every text that contains it', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'ab .,\'-!?:;"()/#%&*@[\\]_{}+$«»…。！é') });
    fc.assert(
      fc.property(texts, fc.nat(30), fc.integer({ min: 1, max: 8 }), (text, at, size) => {
        const folded = fold(text);

        const tokens = new Set(signTokens(folded));

        for (const token of signTokens(folded.slice(at, at + size))) assert.ok(tokens.has(token), token);
      }),
    );
  });

  test('are the same for a text and its folded form, if it is plain', () => {
    const plain = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    fc.assert(fc.property(plain, (text) => assert.deepEqual(signTokens(text), signTokens(fold(text)))));
  });
});
