import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { textPage } from './text-page.ts';

describe('a page of a text', () => {
  test('is the whole text if it fits', () => {
    assert.deepEqual(textPage('hello', { limit: 5 }), { text: 'hello', offset: 0, total: 5 });
  });

  test('ends with a line, if one ends near its end', () => {
    const page = textPage('12345678\n90123', { limit: 10 });

    assert.deepEqual(page, { text: '12345678\n', offset: 0, next: 9, total: 14 });
  });

  test('never ends within a character', () => {
    assert.equal(textPage('abc😀d', { limit: 4 }).text, 'abc');
    assert.equal(textPage('abce\u0301d', { limit: 4 }).text, 'abc');
    assert.equal(textPage('ab👩\u200d👧c', { limit: 5 }).text, 'ab');
    assert.equal(textPage('😀😀', { limit: 1 }).text, '😀');
  });

  test('begins before the character that the offset is in', () => {
    assert.deepEqual(textPage('a😀b', { offset: 2, limit: 9 }), { text: '😀b', offset: 1, total: 4 });
  });

  test('is empty after the end, and begins at 0 before it', () => {
    assert.deepEqual(textPage('abc', { offset: 9, limit: 2 }), { text: '', offset: 3, total: 3 });
    assert.equal(textPage('abc', { offset: -1, limit: 2 }).offset, 0);
  });

  test('is never empty before the end', () => {
    const marks = `a\n${'\u0301'.repeat(100)}b`;

    for (let offset = 0; offset < marks.length; offset++) {
      const { next = marks.length } = textPage(marks, { offset, limit: 2 });
      assert.ok(next > offset);
    }
  });

  test('and the following ones are the text', () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\u0301', '\u200d', '😀', '\r\n'));
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 20 }), (pieces, limit) => {
        const whole = pieces.join('').toWellFormed();

        const pages: string[] = [];
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const page = textPage(whole, { offset, limit });
          pages.push(page.text);
          offset = page.next;
        }

        assert.equal(pages.join(''), whole);
        assert.ok(pages.every((page) => page.isWellFormed()));
      }),
    );
  });
});
