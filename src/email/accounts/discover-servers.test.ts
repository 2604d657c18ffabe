import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MailDiscovery } from '../../connectors/mail-connector.ts';
import { discoverServers } from './discover-servers.ts';

const server = (host: string) => ({ host, port: 993, tls: true as const });

describe('the servers for an address', () => {
  test('are those of a known provider, without asking anyone', async () => {
    const asked: string[] = [];

    const found = await discover('alice@GMail.com', {
      published: async (domain) => void asked.push(domain),
    });

    assert.deepEqual(
      [found?.preset, found?.imap.host, found?.foundBy, found?.isTrusted],
      ['gmail', 'imap.gmail.com', 'preset', true],
    );
    assert.deepEqual(asked, []);
  });

  test('are those of the file rather than of records, and of records rather than of the provider', async () => {
    const file: Partial<MailDiscovery> = { published: async () => ({ imap: server('file.example.org') }) };
    const records: Partial<MailDiscovery> = { records: async () => ({ imap: server('srv.example.org') }) };
    const exchangers: Partial<MailDiscovery> = { exchangers: async () => ['other.test', 'aspmx.l.google.com'] };
    const names: Partial<MailDiscovery> = { answers: async () => true };

    const found = [
      await discover('a@example.org', { ...file, ...records, ...exchangers, ...names }),
      await discover('a@example.org', { ...records, ...exchangers, ...names }),
      await discover('a@example.org', { ...exchangers, ...names }),
      await discover('a@example.org', names),
      await discover('a@example.org', {}),
    ];

    assert.deepEqual(
      found.map((each) => [each?.foundBy, each?.imap.host]),
      [
        ['file', 'file.example.org'],
        ['records', 'srv.example.org'],
        ['exchanger', 'imap.gmail.com'],
        ['name', 'imap.example.org'],
        [undefined, undefined],
      ],
    );
  });

  test('have usual names where they answer', async () => {
    const there = ['mail.example.org:993', 'mail.example.org:587'];

    const found = await discover('a@example.org', {
      answers: async ({ host, port }) => there.includes(`${host}:${port}`),
    });

    assert.deepEqual(found, {
      imap: { host: 'mail.example.org', port: 993, tls: true },
      smtp: { host: 'mail.example.org', port: 587, tls: 'starttls' },
      foundBy: 'name',
      isTrusted: true,
    });
  });

  test('are trusted only within the same domain, or as those of a known provider', async () => {
    const trust = async (host: string, smtp = host) => {
      const found = await discover('a@example.org', {
        published: async () => ({ imap: server(host), smtp: server(smtp) }),
      });
      return found?.isTrusted;
    };

    assert.equal(await trust('mail.example.org'), true);
    assert.equal(await trust('example.org'), true);
    assert.equal(await trust('imap.gmail.com', 'smtp.gmail.com'), true);
    assert.equal(await trust('mail.hoster.example'), false);
    assert.equal(await trust('mail.example.org', 'smtp.evil.example'), false);
    assert.equal(await trust('evilexample.org'), false);
    assert.equal(await trust('imap.gmail.com.evil.example'), false);
  });

  test('of a company are those of its provider', async () => {
    const exchanger = async (name: string) =>
      (await discover('a@example.org', { exchangers: async () => [name] }))?.preset;

    assert.equal(await exchanger('example-org.mail.protection.outlook.com'), 'office365');
    assert.equal(await exchanger('in1-smtp.messagingengine.com'), 'fastmail');
    assert.equal(await exchanger('mx01.mail.icloud.com'), 'icloud');
    assert.equal(await exchanger('google.com.evil.example'), undefined);
    assert.equal(await exchanger('notgoogle.com'), undefined);
  });

  test('have the name of a provider only if they are all its servers', async () => {
    const preset = async (imap: string, smtp: string) =>
      (await discover('a@example.org', { records: async () => ({ imap: server(imap), smtp: server(smtp) }) }))?.preset;

    assert.equal(await preset('outlook.office365.com', 'smtp.office365.com'), 'office365');
    assert.equal(await preset('outlook.office365.com', 'smtp-mail.outlook.com'), 'outlook');
    assert.equal(await preset('imap.gmail.com', 'relay.example.org'), undefined);
  });
});

function discover(email: string, given: Partial<MailDiscovery>) {
  const nothing: MailDiscovery = {
    published: async () => undefined,
    records: async () => undefined,
    exchangers: async () => [],
    answers: async () => false,
  };
  return discoverServers(email, { ...nothing, ...given }, new AbortController().signal);
}
