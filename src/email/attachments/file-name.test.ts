import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { safeFileName } from './file-name.ts';

describe('the name of a saved attachment', () => {
  const cases: [string | undefined, string][] = [
    ['offer.pdf', 'offer.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\system.ini', 'system.ini'],
    ['.bashrc', 'bashrc'],
    ['-rf', 'rf'],
    ['a b;c|d.txt', 'a_b_c_d.txt'],
    ['invoice\u202efdp.exe', 'invoice_fdp.exe'],
    ['nul.txt', '_nul.txt'],
    ['résumé.docx', 'résumé.docx'],
    ['…', '…'],
    ['   ', 'attachment-2'],
    ['', 'attachment-2'],
    [undefined, 'attachment-2'],
  ];
  for (const [name, expected] of cases) {
    test(`is ${expected} for ${JSON.stringify(name)}`, () => {
      assert.equal(safeFileName(name, 'attachment-2'), expected);
    });
  }

  test('keeps the ending of a long one', () => {
    const name = safeFileName(`${'ä'.repeat(300)}.pdf`, 'x');

    assert.ok(Buffer.byteLength(name) <= 120 && name.endsWith('.pdf'));
  });

  test('is one part of a path, visible and not hidden, whatever was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (given) => {
        const name = safeFileName(given, 'fallback');

        assert.match(name, /^[^/\\\p{C}\p{Z}.-][^/\\\p{C}\p{Z}]*$/u);
        assert.ok(Buffer.byteLength(name) <= 120);
      }),
    );
  });
});
