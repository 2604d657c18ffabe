import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostName, isLocalName, isPrivateAddress } from './names.ts';

describe('host names', () => {
  test('are taken in the form of DNS', () => {
    const texts = ['mail.example.org', 'MAIL.example.org.', 'bücher.example', 'localhost', 'a_b.example'];

    assert.deepEqual(texts.map(hostName), [
      'mail.example.org',
      'mail.example.org',
      'xn--bcher-kva.example',
      'localhost',
      'a_b.example',
    ]);
  });

  test('are no addresses, ports, paths, and nothing that a URL reads as something else', () => {
    const texts = [
      ...['127.0.0.1', '0x7f000001', '2130706433', '[::1]', '::1', '1.2'],
      ...['a:1', 'a/b', 'a?b', 'a#b', 'u@a', 'a b', 'a\\b', '%61', '', '.', 'a..b', '-a.b', 'a-.b'],
      'x'.repeat(64),
      `${'x'.repeat(60)}.`.repeat(5),
    ];

    assert.deepEqual(
      texts.filter((text) => hostName(text) !== undefined),
      [],
    );
  });

  test('of local networks are known', () => {
    const local = ['localhost', 'nas', 'mail.local', 'mail.home.arpa', 'mail.internal', 'mail.lan'];

    assert.deepEqual([...local, 'example.org', 'local.example', 'mylocal', 'x.notlocal'].filter(isLocalName), [
      ...local,
      'mylocal',
    ]);
  });
});

describe('private addresses', () => {
  test('are those of this machine, of local networks and of no machine', () => {
    const addresses = [
      ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
      ...['100.64.0.1', '224.0.0.1', '255.255.255.255', '198.18.0.1'],
      ...['::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:10.0.0.1', '::10.0.0.1', '64:ff9b::a00:1'],
      ...['2002:a00:1::', 'not an address'],
    ];

    assert.deepEqual(
      addresses.filter((address) => !isPrivateAddress(address)),
      [],
    );
  });

  test('are not those of the internet', () => {
    const addresses = ['8.8.8.8', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '::ffff:8.8.8.8'];

    assert.deepEqual(addresses.filter(isPrivateAddress), []);
  });
});
