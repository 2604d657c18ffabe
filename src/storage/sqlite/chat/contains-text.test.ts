import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTextTest, patternFor } from './contains-text.ts';
import { fold } from './fold.ts';

test('a text contains what its folded form contains', () => {
  const texts = fc.string({
    unit: fc.constantFrom(...'abAB \n\t#_é\u0301ß東йがㄱ한…“\u200bＡ＃ıſ', '  ', '\r\n'),
    maxLength: 20,
  });
  fc.assert(
    fc.property(texts, texts, fc.boolean(), fc.nat(20), (text, other, isPart, at) => {
      const wanted = isPart ? fold(text).slice(at, at + 5) : fold(other);

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
