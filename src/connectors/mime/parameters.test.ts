import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseParameters } from './parameters.ts';

describe('a header with parameters', () => {
  const headers: Record<string, [value: string, parameters: Record<string, string>]> = {
    'Text/Plain': ['text/plain', {}],
    'text/plain; charset=utf-8': ['text/plain', { charset: 'utf-8' }],
    'text/plain (a comment); CHARSET = "utf-8" (another); format=flowed ; ': [
      'text/plain',
      { charset: 'utf-8', format: 'flowed' },
    ],
    'attachment; filename="a;b\\"c.txt"; size=3': ['attachment', { filename: 'a;b"c.txt', size: '3' }],
    'attachment; filename=My file.pdf': ['attachment', { filename: 'My file.pdf' }],
    'attachment; filename="C:\\temp\\x.txt"': ['attachment', { filename: 'C:\\temp\\x.txt' }],
    'attachment; filename="no end': ['attachment', { filename: 'no end' }],
    'attachment; junk; =x; filename=a; filename=b': ['attachment', { filename: 'a' }],
    "attachment; filename*=utf-8'en'%E2%82%AC%20rates.txt": ['attachment', { filename: '€ rates.txt' }],
    "attachment; filename=plain.txt; filename*=iso-8859-1''f%FCr.txt": ['attachment', { filename: 'für.txt' }],
    'attachment; filename*1=ng.txt; filename*0=lo': ['attachment', { filename: 'long.txt' }],
    "attachment; filename*0*=utf-8''%E2; filename*1*=%82%AC; filename*2=%41.txt": [
      'attachment',
      { filename: '€%41.txt' },
    ],
    'attachment; filename*=%C3%BC.txt': ['attachment', { filename: 'ü.txt' }],
    'attachment; filename="=?utf-8?Q?=C3=BC?=.txt"': ['attachment', { filename: 'ü.txt' }],
    'attachment; filename="\xc3\xbc.txt"': ['attachment', { filename: 'ü.txt' }],
    'multipart/mixed; boundary="=?x?q?y?="': ['multipart/mixed', { boundary: '=?x?q?y?=' }],
    '': ['', {}],
  };
  for (const [header, [value, parameters]] of Object.entries(headers)) {
    test(`${JSON.stringify(header)} is read`, () => {
      const parsed = parseParameters(header);

      assert.deepEqual([parsed.value, Object.fromEntries(parsed.parameters)], [value, parameters]);
    });
  }

  test('gives a file name as it was encoded, in any number of sections', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 9 }), (name, size) => {
        const well = `x${name.toWellFormed()}`;
        const encoded = [...Buffer.from(well)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
        const sections = Array.from({ length: Math.ceil(encoded.length / size) }, (_, index) => {
          const mark = index === 0 ? "utf-8''" : '';
          return `filename*${index}*=${mark}${encoded.slice(index * size, (index + 1) * size).join('')}`;
        });
        fc.pre(sections.length <= 200);

        assert.equal(parseParameters(`attachment; ${sections.join('; ')}`).parameters.get('filename'), well);
      }),
    );
  });

  test('is read whatever it contains', () => {
    const piece = fc.oneof(fc.constantFrom(';', '=', '"', '\\', "'", '*', '%', '0', ' ', 'a', '(', ')'), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        assert.equal(typeof parseParameters(pieces.join('')).value, 'string');
      }),
    );
  });
});
