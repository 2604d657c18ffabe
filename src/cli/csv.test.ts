import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { csv } from './csv.ts';

describe('CSV', () => {
  test('has a header, and quotes as RFC 4180 requires', () => {
    const text = csv(
      ['a', 'b'],
      [
        { a: 'plain', b: 'say "hi", twice\nplease' },
        { a: 7, b: undefined },
      ],
      { header: true },
    );

    assert.equal(text, 'a,b\r\nplain,"say ""hi"", twice\nplease"\r\n7,\r\n');
  });

  test('continues without a second header', () => {
    assert.equal(csv(['a'], [{ a: 1 }], { header: false }), '1\r\n');
  });

  test('contains nothing that a spreadsheet treats as a formula', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '=cmd|" /C calc"!A0']) {
      const [cell = ''] = read(csv(['a'], [{ a: text }], { header: false }))[0] ?? [];

      assert.ok(cell.startsWith("'"), JSON.stringify(cell));
      assert.equal(cell.slice(1), text);
    }
  });

  test('contains no terminal control sequences', () => {
    assert.equal(csv(['a'], [{ a: 'x\x1b[2Jy\u202ez' }], { header: false }), 'x\\x1b[2Jy\\u202ez\r\n');
  });

  test('of any text is parsed back as one field', () => {
    const anyText = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText), { minLength: 1 }), (pairs) => {
        const rows = read(
          csv(
            ['a', 'b'],
            pairs.map(([a, b]) => ({ a, b })),
            { header: true },
          ),
        );

        assert.equal(rows.length, pairs.length + 1);
        assert.ok(rows.every((row) => row.length === 2));
        assert.ok(rows.every((row) => row.every((cell) => !/^[=+\-@\t\r\n]/.test(cell))));
      }),
    );
  });
});

/** A reader of RFC 4180. */
function read(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
