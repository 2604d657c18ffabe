import assert from 'node:assert/strict';
import type { LookupAddress, MxRecord, SrvRecord } from 'node:dns';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createMailDiscovery, type Internet } from './discovery.ts';
import { guardedLookup } from './guarded-lookup.ts';

const { signal } = new AbortController();

describe('the servers of a domain', () => {
  test('are read from the file that it publishes, at either address', async () => {
    const asked: string[] = [];
    const at = (address: string) =>
      createMailDiscovery(
        internet({
          async document(url) {
            asked.push(url);
            return url.startsWith(address) ? file('imap.example.org') : Promise.reject(new Error('status 404'));
          },
        }),
      );

    const first = await at('https://autoconfig.example.org/mail/').published('example.org', signal);
    const second = await at('https://example.org/.well-known/autoconfig/').published('example.org', signal);
    const neither = await at('nowhere').published('example.org', signal);

    assert.deepEqual(
      [first?.imap.host, second?.imap.host, neither],
      ['imap.example.org', 'imap.example.org', undefined],
    );
    assert.deepEqual(asked.slice(0, 2), [
      'https://autoconfig.example.org/mail/config-v1.1.xml',
      'https://example.org/.well-known/autoconfig/mail/config-v1.1.xml',
    ]);
  });

  test('are not looked for where the domain is no name', async () => {
    const discovery = createMailDiscovery(
      internet({ document: () => assert.fail('nothing is fetched'), resolveMx: () => assert.fail('nothing is asked') }),
    );

    for (const domain of ['evil.example/path?', '127.0.0.1', 'a b', 'user@host', '']) {
      assert.equal(await discovery.published(domain, signal), undefined);
      assert.equal(await discovery.records(domain, signal), undefined);
      assert.deepEqual(await discovery.exchangers(domain, signal), []);
      assert.equal(await discovery.answers({ host: domain, port: 993, tls: true }, 'imap', signal), false);
    }
  });

  test('are read from records, those with TLS from the beginning first', async () => {
    const records: Record<string, SrvRecord[]> = {
      '_imaps._tcp.example.org': [srv('second.example.org', 993, 20), srv('First.example.org', 1993, 10)],
      '_imap._tcp.example.org': [srv('plain.example.org', 143)],
      '_submissions._tcp.example.org': [srv('.', 0)],
      '_submission._tcp.example.org': [srv('smtp.example.org', 587)],
    };
    const discovery = createMailDiscovery(internet({ resolveSrv: async (name) => records[name] ?? [] }));

    assert.deepEqual(await discovery.records('example.org', signal), {
      imap: { host: 'first.example.org', port: 1993, tls: true },
      smtp: { host: 'smtp.example.org', port: 587, tls: 'starttls' },
    });
    assert.equal(await discovery.records('other.org', signal), undefined);
  });

  test('are not found where DNS fails or does not answer', async () => {
    const failing = createMailDiscovery(internet({}));
    const hanging = createMailDiscovery(
      internet({ resolveSrv: () => new Promise(() => {}), resolveMx: () => new Promise(() => {}) }),
    );
    const cancelled = AbortSignal.abort();

    assert.equal(await failing.records('example.org', signal), undefined);
    assert.deepEqual(await failing.exchangers('example.org', signal), []);
    assert.equal(await hanging.records('example.org', cancelled), undefined);
    assert.deepEqual(await hanging.exchangers('example.org', cancelled), []);
  });

  test('that receive its mail are sorted by preference', async () => {
    const mx: MxRecord[] = [
      { exchange: 'b.example.org', priority: 20 },
      { exchange: 'A.example.org.', priority: 10 },
      { exchange: '', priority: 0 },
    ];

    const found = await createMailDiscovery(internet({ resolveMx: async () => mx })).exchangers('example.org', signal);

    assert.deepEqual(found, ['a.example.org', 'b.example.org']);
  });
});

describe('connections for discovery', () => {
  const addresses =
    (...list: string[]) =>
    async () =>
      list.map((address): LookupAddress => ({ address, family: 4 }));
  const resolve = (name: string, list: string[]) => {
    const lookup = promisify(guardedLookup(addresses(...list)) as never) as unknown as (
      name: string,
      options: object,
    ) => Promise<unknown>;
    return lookup(name, { all: true });
  };

  test('use only public addresses of a name on the internet', async () => {
    assert.deepEqual(await resolve('example.org', ['10.0.0.1', '8.8.8.8']), [{ address: '8.8.8.8', family: 4 }]);
    await assert.rejects(resolve('example.org', ['10.0.0.1', '127.0.0.1']), { code: 'ENOTFOUND' });
  });

  test('use any address of a local name', async () => {
    assert.deepEqual(await resolve('mail.lan', ['10.0.0.1']), [{ address: '10.0.0.1', family: 4 }]);
  });
});

function internet(given: Partial<Internet>): Internet {
  const nothing = () => Promise.reject(new Error('nothing is there'));
  return { resolveSrv: nothing, resolveMx: nothing, lookup: nothing, document: nothing, ...given };
}

function srv(name: string, port: number, priority = 10): SrvRecord {
  return { name, port, priority, weight: 1 };
}

function file(host: string): string {
  return `<incomingServer type="imap"><hostname>${host}</hostname><port>993</port><socketType>SSL</socketType></incomingServer>`;
}
