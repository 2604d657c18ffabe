import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isMailAddress } from '../../domain/mail-address.ts';
import { shownAddress } from './address.ts';
import { readRecipients } from './recipients.ts';

describe('recipients', () => {
  test('are one address or many, in one text or several [EMAIL-11]', () => {
    const { to, cc, bcc } = readRecipients({
      to: ['a@example.com', 'b@example.com'],
      cc: 'c@example.com',
      bcc: 'd@example.com, Eve <e@example.com>; f@example.com,',
    });

    assert.deepEqual(to.map(addressOf), ['a@example.com', 'b@example.com']);
    assert.deepEqual(cc.map(addressOf), ['c@example.com']);
    assert.deepEqual(bcc.map(addressOf), ['d@example.com', 'e@example.com', 'f@example.com']);
  });

  test('have names, with commas and quotes in them', () => {
    const forms: [string, string, string][] = [
      ['joe@example.com', '', 'joe@example.com'],
      ['<joe@example.com>', '', 'joe@example.com'],
      ['Joe Miller <Joe@Example.COM>', 'Joe Miller', 'joe@example.com'],
      ['"Miller, Joe" <joe@example.com>', 'Miller, Joe', 'joe@example.com'],
      ['"Joe \\"the boss\\" M" <joe@example.com>', 'Joe "the boss" M', 'joe@example.com'],
      ['"a\\\\b" <joe@example.com>', 'a\\b', 'joe@example.com'],
      ['joe@example.com (Joe Miller)', 'Joe Miller', 'joe@example.com'],
      ['Jürgen 日本 <juergen@bücher.example>', 'Jürgen 日本', 'juergen@xn--bcher-kva.example'],
      ["O'Neil; <joe@example.com>".replace(';', ''), "O'Neil", 'joe@example.com'],
      ['"joe smith"@example.com', '', '"joe smith"@example.com'],
      ['jörg@example.com', '', 'jörg@example.com'],
      ['joe@localhost', '', 'joe@localhost'],
      ['a.b+tag=x@sub.example.com', '', 'a.b+tag=x@sub.example.com'],
    ];

    for (const [text, name, address] of forms)
      assert.deepEqual(readRecipients({ to: text }).to, [{ name, address }], text);
  });

  test('are each named once', () => {
    const { to } = readRecipients({
      to: ['Joe <joe@example.com>', 'JOE@example.com', 'a@bücher.example', 'a@xn--bcher-kva.example'],
    });

    assert.deepEqual(to.map(addressOf), ['joe@example.com', 'a@xn--bcher-kva.example']);
  });

  test('that are wrong are named with their field', () => {
    const wrong: [string, string][] = [
      ['joe', '"joe" in cc is not an email address.'],
      ['ok@example.com, joe@', '"joe@" in cc is not an email address.'],
      ['Joe <joe@example.com', '"Joe <joe@example.com" in cc has a quote or a bracket that is not closed.'],
      ['"Joe <joe@example.com>', '"\\"Joe <joe@example.com>" in cc has a quote or a bracket that is not closed.'],
      ['a b@example.com', '"a b@example.com" in cc is not an email address.'],
      ['joe@exa mple.com', '"joe@exa mple.com" in cc is not an email address.'],
      ['joe@example..com', '"joe@example..com" in cc is not an email address.'],
      ['.joe@example.com', '".joe@example.com" in cc is not an email address.'],
      ['<a@b.test> <c@d.test>', '"<a@b.test> <c@d.test>" in cc is not an email address.'],
      [
        'x@example.com\r\nBcc: y@example.com',
        '"x@example.com\\r\\nBcc: y@example.com" in cc contains a line break or another control character.',
      ],
      ['x\u2028@example.com', '"x\\u2028@example.com" in cc contains a line break or another control character.'],
      ['team: a@example.com', '"team: a@example.com" in cc is not an email address.'],
    ];

    for (const [text, message] of wrong) {
      assert.throws(() => readRecipients({ cc: text }), {
        name: 'AppError',
        code: 'VALIDATION_ERROR',
        field: 'cc',
        message,
      });
    }
  });

  test('are at most 500 in all fields together', () => {
    const many = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, index) => `${prefix}${index}@example.com`);

    assert.equal(readRecipients({ to: many(300, 'a'), bcc: many(200, 'b') }).bcc.length, 200);
    assert.throws(() => readRecipients({ to: many(300, 'a'), bcc: many(201, 'b') }), {
      code: 'VALIDATION_ERROR',
      field: 'bcc',
    });
    assert.throws(() => readRecipients({ to: 'x'.repeat(200_000) }), { code: 'VALIDATION_ERROR', field: 'to' });
  });

  test('are the same again when they are given as they were shown', () => {
    const pieces = fc.constantFrom('"', '\\', '<', '>', ',', ';', '(', ')', '@', ' ', ':', 'joe', 'x@y.test', 'ü', '.');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => {
        const given = { name: parts.join('').replaceAll(/ +/g, ' ').trim(), address: 'joe@example.com' };

        const { to } = readRecipients({ to: shownAddress(given) });

        assert.deepEqual(to, [given]);
      }),
    );
  });

  test('are valid addresses, or an error that names the field, whatever is given', () => {
    const pieces = fc.constantFrom(
      '"',
      '\\',
      '<',
      '>',
      ',',
      ';',
      '(',
      ')',
      '@',
      ' ',
      'joe',
      'a.b',
      'example.com',
      '\r\n',
      '=?',
      ':',
      'ü',
      '.',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 15 }), (parts) => {
        try {
          const { to } = readRecipients({ to: parts.join('') });

          assert.ok(to.every(({ address, name }) => isMailAddress(address) && !/[\p{Cc}]/u.test(name)));
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'VALIDATION_ERROR');
          assert.equal((error as { field?: string }).field, 'to');
        }
      }),
    );
  });
});

function addressOf({ address }: { address: string }): string {
  return address;
}
