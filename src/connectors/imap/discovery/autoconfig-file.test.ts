import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { serversInFile } from './autoconfig-file.ts';

const FILE = `<?xml version="1.0" encoding="UTF-8"?>
<clientConfig version="1.1">
  <emailProvider id="example.org">
    <domain>example.org</domain>
    <displayName>Ignore me</displayName>
    <incomingServer type="pop3"><hostname>pop.example.org</hostname><port>995</port><socketType>SSL</socketType></incomingServer>
    <incomingServer type="imap">
      <hostname>imap.%EMAILDOMAIN%</hostname>
      <port>993</port>
      <socketType>SSL</socketType>
      <username>%EMAILADDRESS%</username>
      <authentication>password-cleartext</authentication>
    </incomingServer>
    <outgoingServer type="smtp">
      <hostname>smtp.example.org</hostname><port> 587 </port><socketType>STARTTLS</socketType>
    </outgoingServer>
  </emailProvider>
</clientConfig>`;

describe('a file with the servers of a domain', () => {
  test('gives the first servers for IMAP and SMTP', () => {
    assert.deepEqual(serversInFile(FILE, 'example.org'), {
      imap: { host: 'imap.example.org', port: 993, tls: true },
      smtp: { host: 'smtp.example.org', port: 587, tls: 'starttls' },
    });
  });

  test('may have no server for sending', () => {
    const reading = FILE.replace(/<outgoingServer[\s\S]*<\/outgoingServer>/, '');

    assert.deepEqual(serversInFile(reading, 'example.org'), {
      imap: { host: 'imap.example.org', port: 993, tls: true },
    });
  });

  test('gives the next server where one has no TLS', () => {
    const server = (host: string, type: string) =>
      `<incomingServer type="imap"><hostname>${host}</hostname><port>143</port><socketType>${type}</socketType></incomingServer>`;
    const text = `<clientConfig>${server('plain.test', 'plain')}${server('good.test', 'starttls')}</clientConfig>`;

    assert.deepEqual(serversInFile(text, 'example.org'), { imap: { host: 'good.test', port: 143, tls: 'starttls' } });
  });

  test('gives nothing for names, ports and types that are none', () => {
    const file = (host: string, port: string, type = 'SSL') =>
      `<incomingServer type="imap"><hostname>${host}</hostname><port>${port}</port><socketType>${type}</socketType></incomingServer>`;
    const wrong = [
      file('127.0.0.1', '993'),
      file('[::1]', '993'),
      file('0x7f.1', '993'),
      file('imap.example.org:25', '993'),
      file('user@imap.example.org', '993'),
      file('imap.example.org/path', '993'),
      file('imap example.org', '993'),
      file('imap.example.org&#10;injected', '993'),
      file('', '993'),
      file('imap.example.org', '0'),
      file('imap.example.org', '65536'),
      file('imap.example.org', '-1'),
      file('imap.example.org', '9.93'),
      file('imap.example.org', '993', 'constructor'),
      '<!DOCTYPE a [<!ENTITY b "imap.example.org">]><incomingServer type="imap"><hostname>&b;</hostname><port>1</port><socketType>SSL</socketType></incomingServer>',
      '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>',
      '',
      'not XML',
      '<incomingServer type="imap">'.repeat(10_000),
      '<!--'.repeat(60_000),
      `<incomingServer ${' type'.repeat(50_000)}`,
      `<!-- ${FILE}`,
      `<!--${FILE}-->`,
    ];

    assert.deepEqual(
      wrong.filter((text) => serversInFile(text, 'example.org') !== undefined),
      [],
    );
  });

  test('never fails, and gives only host names and ports, whatever it says', () => {
    const piece = fc.constantFrom(...(FILE.match(/<[^>]*>|[^<]+/g) ?? []), '&', ']]>', '<![CDATA[', '<!--', '\0', '%');
    const text = fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }).map((parts) => parts.join(''));

    fc.assert(
      fc.property(text, (xml) => {
        const found = serversInFile(xml, 'example.org');
        for (const server of [found?.imap, found?.smtp]) {
          if (!server) continue;
          assert.match(server.host, /^[a-z0-9._-]+$/);
          assert.ok(server.port > 0 && server.port < 65_536);
          assert.ok(server.tls === true || server.tls === 'starttls');
        }
      }),
    );
  });
});
