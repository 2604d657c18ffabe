import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeCharset } from './charset.ts';

describe('a text in a character set', () => {
  const texts: [charset: string, bytes: string, text: string][] = [
    ['utf-8', '\xc3\xa9', 'é'],
    ['UTF8', '\xef\xbb\xbf\xc3\xa9', 'é'],
    ['utf-8', 'caf\xe9', 'café'],
    ['utf-8', '\xc3\xa9 \xe9', 'é \ufffd'],
    ['', 'caf\xe9', 'café'],
    ['', '\xc3\xa9\xc3', 'é'],
    ['us-ascii', '\xc3\xa9', 'é'],
    ['iso-8859-1', '\xc3\xa9', 'é'],
    ['iso-8859-1', '\xe9\x80', 'é€'],
    ['x-unknown', '\xe9', 'é'],
    ['windows1251', '\xcf', 'П'],
    ['CP-1251', '\xcf', 'П'],
    ['iso8859_5', '\xbf', 'П'],
    ['koi8-r', '\xf0', 'П'],
    ['cp932', '\x89\xef', '会'],
    ['gb2312', '\xbb\xe1', '会'],
    ['cp950', '\xb7\x7c', '會'],
    ['ks_c_5601-1987', '\xc8\xb8', '회'],
    ['iso-2022-kr', '\x1b$)C\x0eH8\x0f!\n', '회!\n'],
    ['hz-gb-2312', '~{;a~}~~!~\n', '会~!'],
    ['utf-7', '+BB8EQAQ4-! +- a+', 'При! + a+'],
    ['utf-16be', '\x04\x1f', 'П'],
    ['ibm850', '\x82', 'é'],
    ['437', '\x80\xe1', 'Çß'],
    ['x-user-defined', '\xe9', 'é'],
  ];
  for (const [charset, bytes, text] of texts) {
    test(`${charset} ${JSON.stringify(bytes)} reads ${JSON.stringify(text)}`, () => {
      assert.equal(decodeCharset(Buffer.from(bytes, 'latin1'), charset), text);
    });
  }

  test('that nobody knows is guessed, and reported', () => {
    const reports: string[] = [];

    const text = decodeCharset(Buffer.from('café'), 'x-klingon', (problem) => reports.push(problem));

    assert.equal(text, 'café');
    assert.deepEqual(reports, ['unknownCharset']);
  });

  test('is well-formed, whatever the bytes', () => {
    const charset = fc.constantFrom(
      '',
      'utf-8',
      'utf-7',
      'utf-16le',
      'iso-2022-jp',
      'iso-2022-kr',
      'hz',
      'gb18030',
      'cp437',
    );
    fc.assert(
      fc.property(charset, fc.uint8Array({ maxLength: 60 }), (name, bytes) => {
        assert.ok(decodeCharset(Buffer.from(bytes), name).isWellFormed());
      }),
    );
  });
});
