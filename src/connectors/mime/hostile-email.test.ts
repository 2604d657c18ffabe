import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { allMonsters } from '../../../tests/support/email/monsters/all.ts';
import type { ParsedEmail } from '../../domain/email.ts';
import { parseEmail } from './parse-email.ts';

describe('an email that was made to break the parser', () => {
  for (const { name, bytes, text } of allMonsters()) {
    test(`is read: ${name}`, () => {
      const email = parseEmail(bytes);

      assertSound(email);
      if (text) assert.match(email.text, text);
      else assert.notDeepEqual(email.problems, []);
    });
  }

  test('is read when it is cut anywhere', () => {
    for (const { bytes } of allMonsters()) {
      for (const part of [0.1, 0.5, 0.9]) {
        assertSound(parseEmail(bytes.subarray(0, Math.floor(bytes.length * part)), { isTruncated: true }));
      }
    }
  });
});

describe('any bytes', () => {
  test('are an email', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (bytes, isTruncated) => {
        assertSound(parseEmail(bytes, { isTruncated }));
      }),
    );
  });

  const line = fc.oneof(
    fc.constantFrom(
      '--a',
      '--b',
      '--a--',
      '--b--',
      '',
      ' ',
      'Hello',
      'Subject: x',
      'Content-Transfer-Encoding: base64',
    ),
    fc.constantFrom(
      'Content-Type: multipart/mixed; boundary=a',
      'Content-Type: multipart/alternative; boundary=b',
      'Content-Type: multipart/mixed',
      'Content-Type: message/rfc822',
      'Content-Type: text/html',
      'Content-Type: text/plain; format=flowed; charset=utf-7',
      "Content-Disposition: attachment; filename*0*=utf-8''a",
      'From: =?utf-8?Q?a?= <a@b>, "c',
      'Received: from a by b.test',
      'Authentication-Results: b.test; spf=pass',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );

  test('of headers and boundaries in any order are an email', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n', '\r'), (lines, newline) => {
        assertSound(parseEmail(Buffer.from(lines.join(newline))));
      }),
      { numRuns: 300 },
    );
  });

  test('are the same email in a larger buffer', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
        const bytes = Buffer.from(lines.join('\n'));
        const larger = Buffer.concat([Buffer.from('--a\n\n'), bytes, Buffer.from('\n--a--\n\n')]);

        assert.deepEqual(parseEmail(new Uint8Array(larger.subarray(5, 5 + bytes.length))), parseEmail(bytes));
        assert.deepEqual(parseEmail(larger.subarray(5, 5 + bytes.length)), parseEmail(bytes));
      }),
    );
  });
});

/** What holds for every email, whatever it was made of. */
function assertSound(email: ParsedEmail): void {
  const addresses = [email.from, email.replyTo, email.to, email.cc, email.bcc].flat();
  const lines = [email.subject, email.rfcMessageId ?? '', email.inReplyTo ?? '', ...email.references];
  const names = email.attachments.flatMap(({ name = '', mime, part }) => [name, mime, part]);
  for (const line of [...lines, ...names, ...addresses.flatMap(({ name, address }) => [name, address])]) {
    assert.ok(line.isWellFormed());
    assert.doesNotMatch(line, /[\n\r\0\x1b]/);
    assert.ok(line.length <= 1_000);
  }
  assert.ok(email.text.isWellFormed() && email.text.length <= 1_000_000 && !email.text.includes('\0'));
  assert.ok(addresses.length <= 5_000 && email.references.length <= 200 && email.attachments.length <= 500);
  for (const { part, size = 0 } of email.attachments) {
    assert.match(part, /^\d+(?:\.\d+)*$/);
    assert.ok(Number.isInteger(size) && size >= 0);
  }
  for (const { address } of addresses) assert.equal(address, address.toLowerCase());
}
