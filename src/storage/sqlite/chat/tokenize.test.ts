import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold } from './fold.ts';
import { tokenize, tokenizeFragment } from './tokenize.ts';

/** Letters, accents, scripts without spaces, emoji, lone surrogates: ordinary and hostile input. */
const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.string());

describe('splitting', () => {
  test('words, single characters and symbols', () => {
    const tokens = (text: string) => tokenize(fold(text)).tokens.join(' ');

    assert.equal(tokens("don't panic: v1.5"), 'don t panic v1 5');
    assert.equal(tokens('東京tower한국'), '東 京 tower 한 국');
    assert.equal(tokens('c++ 🍕'), 'c _2b _2b _1f355');
    assert.equal(tokens('...?!'), '');
  });

  test('tokens contain neither quotes nor spaces, and only our own begin with an underscore', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { tokens, terms } = tokenize(fold(text));

        for (const token of tokens) assert.match(token, /^[^\s"'()*:^+\-\x00-\x1f]+$/u);
        for (const token of tokens) assert.ok(token.isWellFormed());
        for (const term of terms) assert.ok(!term.includes('_'));
      }),
    );
  });

  test('an endless word is stored in overlapping pieces, so that each part of it is whole in one of them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.nat(2_000),
        fc.integer({ min: 1, max: 64 }),
        (length, at, size) => {
          const word = Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * index) % 26))).join('');
          const part = word.slice(Math.min(at, length - 1), Math.min(at, length - 1) + size);

          const { terms } = tokenize(word);

          assert.ok(terms.some((term) => term.includes(part)));
          assert.ok(terms.every((term) => term.length <= 256));
        },
      ),
    );
  });
});

describe('a part', () => {
  test('is within a word, or begins in one and ends in another', () => {
    assert.deepEqual(tokenizeFragment('ploy'), { within: 'ploy', inner: [] });
    assert.deepEqual(tokenizeFragment('js v24 an'), { head: 'js', inner: ['v24'], tail: 'an' });
    assert.deepEqual(tokenizeFragment('.js'), { inner: [], tail: 'js' });
    assert.deepEqual(tokenizeFragment('js.'), { head: 'js', inner: [] });
    assert.deepEqual(tokenizeFragment('東京tow'), { inner: ['東', '京'], tail: 'tow' });
    assert.deepEqual(tokenizeFragment('c++'), { head: 'c', inner: ['_2b', '_2b'] });
    assert.deepEqual(tokenizeFragment('?!'), { inner: [] });
  });

  test('every text that contains it has the required words', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abc dé.京タ🍕ß\u0301 हि'), minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(letters, fc.nat(30), fc.integer({ min: 1, max: 12 }), (text, at, size) => {
        const folded = fold(text);
        const part = folded.slice(at, at + size);
        fc.pre(part !== '' && part.isWellFormed());

        const { within, head, inner, tail } = tokenizeFragment(part);

        const { tokens, terms } = tokenize(folded);
        if (within !== undefined) assert.ok(terms.some((term) => term.includes(within)));
        if (head !== undefined) assert.ok(terms.some((term) => term.endsWith(head)));
        if (tail !== undefined) assert.ok(terms.some((term) => term.startsWith(tail)));
        assert.ok(` ${tokens.join(' ')} `.includes(inner.length === 0 ? '' : ` ${inner.join(' ')} `));
      }),
    );
  });
});
