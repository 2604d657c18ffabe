import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentHash } from './content-hash.ts';

const HTML = 'Content-Type: text/html; charset=utf-8';

function hashOf(header: string, body: string): string {
  const raw = Buffer.from(`${header}\r\n\r\n${body}`);
  return contentHash(raw, raw.length);
}

function mixed(...files: readonly (readonly [name: string, content: string])[]): string {
  const parts = files.map(([name, content]) => `--b\r\nContent-Type: x/y; name="${name}"\r\n\r\n${content}\r\n`);
  return `${parts.join('')}--b--\r\n`;
}

describe('the hash of the content of an email', () => {
  test('is the same with headers that servers add, with folded ones, and with a line break at the end', () => {
    const expected = hashOf(`Subject: a\r\n${HTML}`, 'Hello');

    assert.equal(hashOf(`Received: by a\r\nX-Spam: no\r\nSubject: b\r\n${HTML}`, 'Hello'), expected);
    assert.equal(hashOf(HTML.replace('; ', ';\r\n '), 'Hello\r\n'), expected);
  });

  test('differs with the name, type, content and number of files, with the HTML, and with what says how to read it', () => {
    const type = 'Content-Type: multipart/mixed; boundary=b';
    const hashes = [
      hashOf(type, mixed(['first.txt', 'one'])),
      hashOf(type, mixed(['second.txt', 'one'])),
      hashOf(type, mixed(['first.txt', 'two'])),
      hashOf(type, mixed(['first.txt', 'one'], ['first.txt', 'one'])),
      hashOf(type, mixed(['first.txt', 'one']).replace('x/y', 'x/z')),
      hashOf(HTML, '<p>Hello'),
      hashOf(HTML, '<b>Hello'),
      hashOf(HTML.replace('html', 'plain'), '<b>Hello'),
      hashOf(HTML.replace('utf-8', 'koi8-r'), '<b>Hello'),
      hashOf(`${HTML}\r\nContent-Transfer-Encoding: base64`, '<b>Hello'),
      hashOf(`${HTML}\r\nContent-Disposition: attachment; filename=a.html`, '<b>Hello'),
      hashOf(HTML, ''),
    ];

    assert.equal(new Set(hashes).size, hashes.length);
  });

  test('of a large email is the same whether its beginning or the whole was fetched, and differs with its length', () => {
    const raw = Buffer.from(`Subject: a\r\n${HTML}\r\n\r\n${'Hello '.repeat(100_000)}`);
    const longer = Buffer.concat([raw, Buffer.from('.')]);

    const expected = contentHash(raw, raw.length);

    for (const length of [132_000, 256 * 1024, 600_000]) {
      assert.equal(contentHash(raw.subarray(0, length), raw.length), expected, String(length));
    }
    assert.notEqual(contentHash(longer.subarray(0, 256 * 1024), longer.length), expected);
  });

  test('is linear in time, whatever the email is', () => {
    const hostile = [Buffer.alloc(0), Buffer.alloc(256 * 1024, 0x0a), Buffer.alloc(256 * 1024, 'a:')];

    for (const raw of hostile) assert.match(contentHash(raw, raw.length), /^[\w-]{43}$/);
  });
});
