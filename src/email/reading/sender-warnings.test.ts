import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type SenderFacts, senderWarnings } from './sender-warnings.ts';

const OWN = ['me@example.test'];

function warnings(from: string, name = '', facts: Partial<SenderFacts> = {}): string[] {
  return senderWarnings({ from: [{ name, address: from }], replyTo: [], own: OWN, ...facts });
}

describe('warnings about a sender', () => {
  test('are none for an ordinary one', () => {
    assert.deepEqual(warnings('alice@corp.test', 'Alice Liddell'), []);
    assert.deepEqual(warnings('alice@corp.test', 'alice@corp.test'), []);
    assert.deepEqual(warnings('bob@example.test', 'Bob'), []);
    assert.deepEqual(warnings('info@amazon.com', 'Amazon.de'), []);
    assert.deepEqual(warnings('bob@mail.corp.test', 'Bob', { replyTo: [{ name: '', address: 'b@corp.test' }] }), []);
    assert.deepEqual(warnings('ivan@почта.рф', 'Иван'), []);
  });

  test('say that there is no address', () => {
    assert.deepEqual(warnings('', 'Alice'), ['It does not name the address of its sender.']);
    assert.equal(senderWarnings({ from: [], replyTo: [], own: [] }).length, 1);
  });

  test('say that there are several senders', () => {
    const from = [
      { name: '', address: 'a@corp.test' },
      { name: '', address: 'b@evil.test' },
    ];

    assert.match(senderWarnings({ from, replyTo: [], own: OWN }).join(), /names 2 senders/);
  });

  test('say that the name is that of another', () => {
    assert.match(warnings('x@evil.test', 'boss@example.test').join(), /boss@example\.test is not x@evil\.test/);
    assert.match(
      warnings('x@evil.test', 'PayPal.com Service').join(),
      /mentions PayPal\.com, but the address is at evil\.test/,
    );
    assert.match(warnings('x@evil.test', 'Al\u200bice').join(), /invisible characters/);
    assert.match(warnings('x@evil.test', 'Pаypal').join(), /mixes letters/);
  });

  test('say that replies go elsewhere', () => {
    const replyTo = [{ name: '', address: 'x@evil.test' }];

    assert.deepEqual(warnings('a@corp.test', '', { replyTo }), ['Replies go to another domain: x@evil.test.']);
  });

  test('show how a domain is displayed, and that its letters are mixed', () => {
    assert.deepEqual(warnings('x@xn--ypal-43d9g.com'), [
      "The sender's domain xn--ypal-43d9g.com is displayed as раypal.com.",
      "The sender's domain раypal.com mixes letters of different scripts.",
    ]);
  });

  for (const domain of [
    'examp1e.test',
    'exarnple.test',
    'exampl.test',
    'exmaple.test',
    'examplee.test',
    'example.invalid',
    'example.test.evil.test',
    'mail.example.test.evil.test',
    'example-support.test',
    'ex-ample.test',
    'exаmple.test',
    'éxample.test',
  ]) {
    test(`say that ${domain} looks like example.test`, () => {
      assert.match(warnings(`x@${domain}`).join(), /looks like your own, example\.test/);
    });
  }

  for (const domain of ['sample.test', 'sub.example.test', 'ample.test', 'other.test', 'localhost']) {
    test(`do not say so of ${domain}`, () => {
      assert.doesNotMatch(warnings(`x@${domain}`).join(), /looks like/);
    });
  }

  test('do not take one provider for another', () => {
    assert.deepEqual(warnings('a@ymail.com', '', { own: ['me@gmail.com'] }), []);
  });

  test('say what the receiving server could not confirm', () => {
    assert.deepEqual(
      warnings('a@corp.test', '', { authentication: { dmarc: 'fail', spf: 'softfail', dkim: 'pass' } }),
      ['The receiving server could not confirm that it is from corp.test: DMARC, SPF failed.'],
    );
    assert.deepEqual(warnings('a@corp.test', '', { authentication: { dmarc: 'pass', spf: 'fail' } }), []);
    assert.deepEqual(warnings('a@corp.test', '', { authentication: { spf: 'none' } }), []);
  });

  test('are on one line each, whatever the sender writes', () => {
    const address = fc.record({ name: fc.string({ unit: 'binary' }), address: fc.string({ unit: 'binary' }) });
    fc.assert(
      fc.property(fc.array(address), fc.array(address), (from, replyTo) => {
        for (const warning of senderWarnings({ from, replyTo, own: OWN })) assert.match(warning, /^\P{Cc}+$/u);
      }),
    );
  });
});
