import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTextTest } from './contains-text.ts';
import { fold } from './tokenize.ts';

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
