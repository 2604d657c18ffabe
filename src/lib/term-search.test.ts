import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { matchesOf, phraseTerm, plainTerm, type Term, wholeTerm } from './term-search.ts';

/** The same as a regular expression. */
function patternOf(terms: readonly Term[]): RegExp {
  const alternatives = terms.map(({ words, gap, startsWord, endsWord }) => {
    if (words.join('') === '') return '(?!)';
    const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
    const [before, after] = [startsWord ? '(?<![\\p{L}\\p{N}])' : '', endsWord ? '(?![\\p{L}\\p{N}])' : ''];
    return `${before}${escaped.join(gap === 'space' ? '\\s+' : '[^\\p{L}\\p{N}\\p{M}]+')}${after}`;
  });
  return new RegExp(alternatives.join('|'), 'gu');
}

const UNITS = [...'aab1é \n.-木曜가ไж\u0301😀𐐨', '\ud83d', '\ude00'];
const anyText = fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 60 });
const anyTerm = fc
  .tuple(
    fc.constantFrom(plainTerm, wholeTerm, phraseTerm),
    fc.string({ unit: fc.constantFrom(...UNITS), minLength: 1, maxLength: 5 }),
  )
  .map(([form, text]) => form(text));

describe('terms in a text', () => {
  test('are found where a regular expression finds them', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyTerm, { minLength: 1, maxLength: 4 }), (text, terms) => {
        const expected = [...text.matchAll(patternOf(terms))].map(({ index, 0: found }) => ({
          start: index,
          end: index + found.length,
        }));

        assert.deepEqual([...matchesOf(terms, text)], expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('of a phrase have signs between its words, and no letters', () => {
    const found = (text: string) => [...matchesOf([phraseTerm('out of')], text)].map(({ start }) => start);

    assert.deepEqual(found('out -- of, out of'), [0, 11]);
    assert.deepEqual(found('outof, out a of, shout of, out off'), []);
  });

  test('of several words have white space of any kind where they have spaces', () => {
    const found = (text: string) => [...matchesOf([plainTerm('out of')], text)].map(({ start }) => start);

    assert.deepEqual(found('out\nof, out \r\n\t of'), [0, 8]);
    assert.deepEqual(found('outof, out-of'), []);
  });

  test('are whole words where a script separates words', () => {
    const found = (text: string, within: string) => [...matchesOf([wholeTerm(text)], within)].length;

    assert.deepEqual([found('on', 'London'), found('木曜', '会議は木曜日'), found('c++', 'c++, not c++11')], [0, 1, 2]);
  });
});
