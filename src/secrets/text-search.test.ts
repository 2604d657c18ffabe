import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createTextSearch, type TextSpan } from './text-search.ts';

// Few letters, so that literals overlap, repeat and almost match.
const word = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '\u1234'), minLength, maxLength });

describe('the search for many literals', () => {
  test('finds in any text what a separate search for each literal finds', () => {
    fc.assert(
      fc.property(fc.array(word(6, 10), { maxLength: 8 }), word(0, 120), (literals, text) => {
        const search = createTextSearch();
        for (const literal of literals) search.add(literal);

        assert.deepEqual(search.find(text), oneByOne(literals, text));
      }),
      { numRuns: 2000 },
    );
  });
});

function oneByOne(literals: readonly string[], text: string): TextSpan[] {
  const covered = new Set<number>();
  const starts = Array.from(text, (_, begin) => literals.filter((literal) => text.startsWith(literal, begin)));
  starts.forEach((found, begin) => {
    for (const literal of found) for (let at = begin; at < begin + literal.length; at++) covered.add(at);
  });
  const spans: TextSpan[] = [];
  for (const at of [...covered].sort((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last?.end === at) last.end++;
    else spans.push({ begin: at, end: at + 1 });
  }
  return spans;
}
