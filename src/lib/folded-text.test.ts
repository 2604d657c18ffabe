import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold, foldWithOffsets } from './folded-text.ts';

describe('a folded text', () => {
  test('has neither case nor accents', () => {
    const pairs = [
      ['CAFÉ Straße', 'cafe strasse'],
      ['e\u0301', 'e'],
      ['ΟΔΟΣ οδός', 'οδοσ οδοσ'],
      ['ﬁne ①', 'fine 1'],
      ['木曜 🎂', '木曜 🎂'],
      ['', ''],
    ];

    for (const [text = '', folded] of pairs) assert.equal(fold(text), folded);
  });

  test('leads back to each character of the original', () => {
    const anyText = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(anyText, fc.nat(300), (text, count) => {
        const beginning = [...text].slice(0, count).join('');
        const expected = fold(beginning);

        const { text: folded, originalOf } = foldWithOffsets(text);

        // Characters after it that become nothing belong to neither.
        assert.ok(originalOf(expected.length) >= beginning.length);
        assert.equal(originalOf(folded.length), text.length);
        assert.equal(folded.slice(0, expected.length), expected);
      }),
    );
  });

  test('keeps its offsets however long characters become', () => {
    const text = '\ufdfa'.repeat(5_000);

    const { text: folded, originalOf } = foldWithOffsets(text);

    const each = folded.length / text.length;
    assert.deepEqual([originalOf(0), originalOf(each * 4_999), originalOf(folded.length)], [0, 4_999, 5_000]);
  });
});
