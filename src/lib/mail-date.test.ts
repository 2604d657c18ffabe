import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { mailDate } from './mail-date.ts';

const NOON = '2024-06-13T12:34:56.000Z';

describe('the date of an email', () => {
  const dates: Record<string, string | undefined> = {
    'Thu, 13 Jun 2024 14:34:56 +0200': NOON,
    'Thu, 13 Jun 2024 14:34:56 +0200 (CEST)': NOON,
    '13 Jun 2024 12:34:56 GMT': NOON,
    'Thu,13 June 2024 12:34:56 -0000': NOON,
    'Thu, 13 Jun 24 08:34:56 EDT': NOON,
    'Thu, 13-Jun-2024 12:34:56': NOON,
    'Thu Jun 13 12:34:56 2024': NOON,
    'a@example.test Thu Jun 13 12:34:56 2024': NOON,
    '1234@xxx Thu Jun 13 14:34:56 +0200 2024': NOON,
    '- Thu Jun 13 12:34:56 UTC 2024': NOON,
    'x Thu Jun 13 08:34:56 2024 -0400': NOON,
    '2024-06-13T14:34:56+02:00': NOON,
    '2024-06-13 12:34:56': NOON,
    'Thu, 13 Jun 124 12:34:56 +0000': NOON,
    'Wed, 31 Dec 97 23:00 PST': '1998-01-01T07:00:00.000Z',
    'Thu, 1 Jan 1970 00:00:00 +0000': undefined,
    'Thu, 13 Jun 2024 12:34:56 +9999': undefined,
    'Thu, 31 Jun 2024 12:34:56 +0000': undefined,
    'Thu, 13 Foo 2024 12:34:56 +0000': undefined,
    'Thu, 13 Jun 2024 25:34:56 +0000': undefined,
    yesterday: undefined,
    '': undefined,
  };
  for (const [text, expected] of Object.entries(dates)) {
    test(`"${text}" is ${expected ?? 'none'}`, () => {
      const at = mailDate(text);

      assert.equal(at === undefined ? undefined : new Date(at).toISOString(), expected);
    });
  }

  test('is parsed from RFC 5322 and ISO 8601, for any timestamp', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_102_444_800 }), (seconds) => {
        const date = new Date(seconds * 1000);

        assert.equal(mailDate(date.toUTCString()), date.getTime());
        assert.equal(mailDate(date.toISOString()), date.getTime());
      }),
    );
  });

  test('never causes an exception, and is a valid timestamp or undefined', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789:-+ ,TZJunThuGMT()'), maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), digits), (text) => {
        const at = mailDate(text);

        if (at !== undefined) assert.ok(!Number.isNaN(new Date(at).getTime()));
      }),
    );
  });
});
