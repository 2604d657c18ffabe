import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPhraseTest, createTextTest, patternFor } from './contains-text.ts';
import { fold } from './fold.ts';
import { occurrences } from './phrase-in-text.ts';
import { piecesOf } from './tokenize.ts';

const texts = fc.string({
  unit: fc.constantFrom(...'abAB \n\t#_é\u0301ß東йがㄱ한…“\u200bＡ＃ıſ', '  ', '\r\n'),
  maxLength: 20,
});

test('a text contains what its folded form contains', () => {
  fc.assert(
    fc.property(texts, texts, fc.boolean(), fc.nat(20), (text, other, isPart, at) => {
      const wanted = isPart ? fold(text).slice(at, at + 5) : fold(other);

      assert.equal(createTextTest(wanted)(text), fold(text).includes(wanted));
    }),
    { numRuns: 2_000 },
  );
});

test('every character that becomes ASCII, or nothing, is folded for a text of ASCII', () => {
  const contains = createTextTest('ab');

  for (let code = 0x80; code < 0x1_00_00; code += 1) {
    const text = `a${String.fromCharCode(code)}b`;
    assert.equal(contains(text), fold(text).includes('ab'), code.toString(16));
  }
});

test('a long text with few characters that become ASCII contains what its folded form contains', () => {
  const filler = fc.constantFrom('plain words '.repeat(40), ' '.repeat(80), 'x'.repeat(300));
  fc.assert(
    fc.property(texts, texts, filler, fc.nat(40), fc.integer({ min: 1, max: 8 }), (one, two, between, at, size) => {
      const text = `${between}${one}${between}${two}${between}`;
      const wanted = fold(`${one} ${two}`).slice(at, at + size);

      assert.equal(createTextTest(wanted)(text), fold(text).includes(wanted));
    }),
    { numRuns: 2_000 },
  );
});

test('a pattern is of the beginning of a long text, and takes signs as they are', () => {
  assert.equal(patternFor('foo_bar 100%'), '%foo\\_bar%100\\%%');
  assert.equal(patternFor('a '.repeat(500)), `%${'a%'.repeat(20)}%`);
  assert.equal(patternFor('"quoted"'), undefined);
  assert.equal(patternFor('東京'), undefined);
});

test('what has a phrase passes the test of it', () => {
  const signs = fc.string({ unit: fc.constantFrom(...'abB+=-. \n＋é…“'), maxLength: 12 });
  fc.assert(
    fc.property(signs, signs, signs, (before, phrase, after) => {
      const pieces = piecesOf(fold(phrase));
      fc.pre(pieces.length > 0);
      const text = `${before}${phrase}${after}`;

      assert.ok(occurrences(fold(text), pieces, 1) === 0 || createPhraseTest(pieces)(text));
    }),
    { numRuns: 2_000 },
  );
});

test('attack: a phrase of many symbols, and a long text of them', () => {
  const pieces = [...'+'.repeat(40), 'x'];

  assert.equal(createPhraseTest(pieces)('+ '.repeat(20_000)), false);
  assert.equal(createTextTest(pieces.join(' '))('+ '.repeat(20_000)), false);
  assert.equal(createTextTest('a b')(`a${' '.repeat(50_000)}`), false);
});
