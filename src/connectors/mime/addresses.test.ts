import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseAddresses } from './addresses.ts';

describe('an address list', () => {
  const lists: Record<string, [name: string, address: string][]> = {
    'a@Example.Test': [['', 'a@example.test']],
    '<a@b.test>': [['', 'a@b.test']],
    'Alice <a@b.test>, Bob <c@d.test>': [
      ['Alice', 'a@b.test'],
      ['Bob', 'c@d.test'],
    ],
    '"Liddell, Alice" <a@b.test>; c@d.test': [
      ['Liddell, Alice', 'a@b.test'],
      ['', 'c@d.test'],
    ],
    'Liddell, Alice <a@b.test>': [['Liddell, Alice', 'a@b.test']],
    'Team ,_<a@b.test>': [['Team, _', 'a@b.test']],
    '"Al \\"the\\" Ice" <a@b.test>': [['Al "the" Ice', 'a@b.test']],
    'a@b.test (Alice (Al) Liddell)': [['Alice (Al) Liddell', 'a@b.test']],
    'Alice (at work) <a@b.test>': [['Alice', 'a@b.test']],
    'Friends: Alice <a@b.test>, c@d.test;, e@f.test': [
      ['Alice', 'a@b.test'],
      ['', 'c@d.test'],
      ['', 'e@f.test'],
    ],
    'undisclosed-recipients:;': [],
    '=?utf-8?Q?Alice=2C_Liddell?= <a@b.test>': [['Alice, Liddell', 'a@b.test']],
    '"=?utf-8?B?QWxpY2U=?=" <a@b.test>': [['Alice', 'a@b.test']],
    '=?utf-8?Q?x=3Cevil=40x=2Etest=3E?= <a@b.test>': [['x<evil@x.test>', 'a@b.test']],
    'Mail Delivery System': [['Mail Delivery System', '']],
    'Alice, <>': [['Alice', '']],
    'Alice <a@b.test': [['Alice', 'a@b.test']],
    '"Alice <a@b.test>': [['"Alice', 'a@b.test']],
    'Alice (no end <a@b.test>': [['Alice (no end', 'a@b.test']],
    'Alice a@b.test': [['Alice', 'a@b.test']],
    'mailto:a@b.test': [['', 'a@b.test']],
    '<@relay,@other:a@b.test>': [['', 'a@b.test']],
    '"john doe"@b.test': [['', '"johndoe"@b.test']],
    'a@[IPv6:2001:db8::1]': [['', 'a@[ipv6:2001:db8::1]']],
    'J\xc3\xbcrgen <j@b.test>': [['Jürgen', 'j@b.test']],
    '"J\xfcrgen" <j@b.test>': [['Jürgen', 'j@b.test']],
    'x <j\xc3\xbc@b\xc3\xbccher.test>': [['x', 'jü@bücher.test']],
    ',, ,a@b.test,': [['', 'a@b.test']],
    '': [],
  };
  for (const [header, expected] of Object.entries(lists)) {
    test(`${JSON.stringify(header)} is read`, () => {
      const { addresses } = parseAddresses(header);

      assert.deepEqual(
        addresses.map(({ name, address }) => [name, address]),
        expected,
      );
    });
  }

  test('has as many addresses as it may, and says if there are more', () => {
    const header = Array.from({ length: 30 }, (_, index) => `a${index}@b.test`).join(',');

    const { addresses, isCut } = parseAddresses(header, 20);

    assert.equal(addresses.length, 20);
    assert.equal(isCut, true);
    assert.equal(parseAddresses(header, 30).isCut, false);
  });

  test('gives names and addresses as they were written', () => {
    const mailbox = fc.record({
      name: fc.stringMatching(/^[a-z][ -~]{0,20}[a-z]$/).map((name) => name.replaceAll(/ +/g, ' ')),
      address: fc.stringMatching(/^[a-z\d.]{1,9}@[a-z\d]{1,9}\.test$/),
    });
    fc.assert(
      fc.property(fc.array(mailbox, { minLength: 1 }), (mailboxes) => {
        const written = mailboxes.filter(({ name }) => !name.includes('=?'));
        const header = written
          .map(({ name, address }) => `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`)
          .join(',\r\n ');

        assert.deepEqual(
          parseAddresses(header).addresses.map(({ name, address }) => [name, address]),
          written.map(({ name, address }) => [name, address]),
        );
      }),
    );
  });

  test('of what is to be sent has every entry, also one without an address', () => {
    const entries = (header: string) =>
      parseAddresses(header, 10, '', undefined, true).addresses.map(({ name, address }) => [name, address]);

    assert.deepEqual(entries('joe, Bob <b@c.test>, Team: a@b.test;'), [
      ['joe', ''],
      ['Bob', 'b@c.test'],
      ['', 'a@b.test'],
    ]);
    assert.deepEqual(entries('"Liddell, Alice" <a@b.test>,, <>'), [['Liddell, Alice', 'a@b.test']]);
  });

  test('has texts on one line, whatever it contains', () => {
    const piece = fc.oneof(
      fc.constantFrom('<', '>', '"', '(', ')', ',', ';', ':', '@', '\\', ' ', '\r\n ', 'a'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        for (const { name, address } of parseAddresses(pieces.join('')).addresses) {
          assert.doesNotMatch(name + address, /[\n\r\0]/);
        }
      }),
    );
  });
});
