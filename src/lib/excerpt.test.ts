import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { excerpt } from './excerpt.ts';

describe('an excerpt', () => {
  test('is the whole text up to 1,000 characters', () => {
    const text = 'x'.repeat(1_000);

    assert.deepEqual(excerpt(text), { text, isShortened: false });
  });

  test('is the beginning of a longer one', () => {
    const { text, isShortened } = excerpt(`start ${'x'.repeat(2_000)}`);

    assert.ok(isShortened);
    assert.match(text, /^start x{494}…$/);
  });

  test('is what is around the matches', () => {
    const filler = 'lorem ipsum '.repeat(100);
    const text = `${filler}the first %>% here ${filler}and C# there ${filler}`;

    const found = excerpt(text, { kind: 'part', text: '%>%' });
    const both = excerpt(text, { kind: 'terms', texts: ['first', 'there'] });

    assert.match(found.text, /^….*the first %>% here .*…$/);
    assert.ok(found.text.length < 300);
    assert.match(both.text, /first[^…]*…[^…]*there/);
  });

  test('has a match that is broken into lines, has hidden characters or another skin tone', () => {
    const filler = 'lorem ipsum '.repeat(100);
    const table: [found: string, wanted: string][] = [
      ['killed: out\nof  memory', 'out of memory'],
      ['zero\u200bwidth soft\u00adhyphen', 'zerowidth softhyphen'],
      ['\u{1f44d}\u{1f3fd}', '\u{1f44d}\u{1f3ff}'],
    ];
    for (const [found, wanted] of table) {
      const text = `${filler}${found} ${filler}`;

      assert.ok(excerpt(text, { kind: 'part', text: wanted }).text.includes(found), wanted);
      assert.ok(excerpt(text, { kind: 'exact', texts: [wanted] }).text.includes(found), wanted);
    }
  });

  test('is the beginning where the match is elsewhere, such as in the name of a file', () => {
    assert.match(excerpt('y'.repeat(1_500), { kind: 'words', text: 'budget' }).text, /^y{500}…$/);
  });

  test('is never long, and has no half of a character', () => {
    const words = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('needle 😀 ')), { maxLength: 200 });
    fc.assert(
      fc.property(words, fc.constantFrom('needle', '😀', 'n'), (parts, wanted) => {
        const whole = parts.join('😀').toWellFormed();

        const { text, isShortened } = excerpt(whole, { kind: 'part', text: wanted });

        assert.ok(text.length <= (isShortened ? 1_600 : 1_000));
        assert.ok(text.isWellFormed());
      }),
      { numRuns: 30 },
    );
  });
});
