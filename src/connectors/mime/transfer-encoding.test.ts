import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { quotedPrintable } from '../../../tests/support/email/generated-mail.ts';
import { decodedSize, decodeTransfer, type Encoding, encodingOf } from './transfer-encoding.ts';

function decode(text: string, encoding: Encoding): string {
  return decodeTransfer(Buffer.from(text, 'latin1'), encoding).toString('latin1');
}

describe('a transfer encoding', () => {
  test('is found in any spelling', () => {
    const found = ['Base64', ' "quoted-printable"', 'x-uuencode', '8BIT', '7bit; x', '', 'zip'].map(encodingOf);

    assert.deepEqual(found, ['base64', 'quoted-printable', 'uuencode', 'none', 'none', 'none', undefined]);
  });

  const quoted: Record<string, string> = {
    'a=3Db=\r\nc': 'a=bc',
    'a= \t\r\nb': 'ab',
    'a =20 \t\r\nb': 'a  \r\nb',
    'a  \nb': 'a\nb',
    '=ZZ =': '=ZZ ',
    '=e9=E9': '\xe9\xe9',
    'a=': 'a',
  };
  for (const [text, decoded] of Object.entries(quoted)) {
    test(`quoted-printable ${JSON.stringify(text)} reads ${JSON.stringify(decoded)}`, () => {
      assert.equal(decode(text, 'quoted-printable'), decoded);
    });
  }

  test('base64 may be cut, joined and dirty', () => {
    assert.equal(decode('YWJj\r\nZA==\r\n', 'base64'), 'abcd');
    assert.equal(decode('YWI=YWI=\n', 'base64'), 'abab');
    assert.equal(decode('YW!Jj*ZA', 'base64'), 'abcd');
  });

  test('may be a lie', () => {
    assert.equal(decode('This is just a text.', 'base64'), 'This is just a text.');
    assert.equal(decode('caf\xe9', 'base64'), 'caf\xe9');
    assert.equal(decode('just text', 'quoted-printable'), 'just text');
  });

  test('uuencode has a line for each length', () => {
    const text = 'begin 644 x.txt\n#86)C\n%9&5F9V@ \n`\nend\nafter';

    assert.equal(decode(text, 'uuencode'), 'abcdefgh');
    assert.equal(decodedSize(Buffer.from(text), 'uuencode'), 8);
  });

  test('gives the bytes that were encoded, and their number', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.constantFrom(4, 60, 76, 1_000), (content, width) => {
        const bytes = Buffer.from(content);
        const base64 = Buffer.from(bytes.toString('base64').replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\r\n'));

        assert.deepEqual(decodeTransfer(base64, 'base64').toString('hex'), bytes.toString('hex'));
        assert.equal(decodedSize(base64, 'base64'), bytes.length);
        assert.equal(decodedSize(Buffer.concat([base64, Buffer.from('\r\n\r\n')]), 'base64'), bytes.length);
      }),
    );
  });

  test('quoted-printable gives the text that was encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(text.toWellFormed());
        const encoded = quotedPrintable(bytes);

        assert.equal(decodeTransfer(encoded, 'quoted-printable').toString('hex'), bytes.toString('hex'));
      }),
    );
  });

  test('has the size of its content also in lines of different lengths', () => {
    assert.equal(decodedSize(Buffer.from('YWJj\nYW\nJj\n\nYQ==\n'), 'base64'), 7);
    assert.equal(decodedSize(Buffer.from('a=3Db'), 'quoted-printable'), 3);
    assert.equal(decodedSize(Buffer.from('abc'), 'none'), 3);
  });
});
