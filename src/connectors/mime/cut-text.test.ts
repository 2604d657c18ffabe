import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CUT_TEXT } from '../../domain/email.ts';
import { parseEmail } from './parse-email.ts';

/** Characters of one to four bytes. */
const TEXT = 'Grüße, 漢字 und 😀😀 '.repeat(20);
const JAPANESE = '漢字かな'.repeat(20);

const ENCODED: readonly [charset: string, text: string, content: Buffer][] = [
  ['utf-8', TEXT, Buffer.from(TEXT)],
  ['', TEXT, Buffer.from(TEXT)],
  ['iso-8859-1', TEXT, Buffer.from(TEXT)],
  ['utf-16le', TEXT, Buffer.from(TEXT, 'utf16le')],
  // 漢字かな
  ['shift_jis', JAPANESE, Buffer.from('8abf8e9a82a982c8'.repeat(20), 'hex')],
  ['euc-jp', JAPANESE, Buffer.from('b4c1bbfaa4aba4ca'.repeat(20), 'hex')],
];

function quotedPrintable(content: Buffer): Buffer {
  return Buffer.from([...content].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''));
}

function email(charset: string, encoding: string, body: Buffer): Buffer {
  const type = charset === '' ? 'text/plain' : `text/plain; charset=${charset}`;
  return Buffer.concat([Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`), body]);
}

describe('a text that is cut ends between two characters, and this is its only problem', () => {
  for (const [charset, text, content] of ENCODED) {
    const bodies = { '8bit': content, 'quoted-printable': quotedPrintable(content) };
    for (const [encoding, body] of Object.entries(bodies)) {
      test(`${charset || 'without a charset'}, ${encoding}, because bytes are missing`, () => {
        for (let missing = 1; missing < 30; missing++) {
          const cut = parseEmail(email(charset, encoding, body.subarray(0, -missing)), { isTruncated: true });

          assert.ok(text.startsWith(cut.text) && cut.text.length > 50, `${missing}: ${cut.text.slice(-10)}`);
          assert.deepEqual(cut.problems, [CUT_TEXT.truncated], String(missing));
        }
      });
    }

    test(`${charset || 'without a charset'}, because it is too long`, () => {
      for (let maxText = 55; maxText < 65; maxText++) {
        const cut = parseEmail(email(charset, '8bit', content), { maxText });

        assert.ok(text.startsWith(cut.text) && cut.text.length > 20, `${maxText}: ${cut.text.slice(-10)}`);
        assert.deepEqual(cut.problems, [CUT_TEXT.longText], String(maxText));
      }
    });
  }

  test('also where characters are counted', () => {
    const cut = parseEmail(email('utf-8', '8bit', Buffer.from(`${'x'.repeat(99)}😀${'x'.repeat(99)}`)), {
      maxText: 100,
    });

    assert.equal(cut.text, 'x'.repeat(99));
  });
});
