import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLoginStore, type StoredLogin } from './login-store.ts';
import type { OAuthSecrets } from './oauth-server.ts';

const server = { id: 'github', url: 'https://mcp.example.test/mcp', auth: { type: 'oauth' as const } };

describe('the store of logins', () => {
  test('gives back what was stored, also after a restart', async () => {
    const { secrets } = memorySecrets();
    const store = createLoginStore(secrets);

    await store.replace(server, loginAt('a'));

    assert.deepEqual(await store.get(server), loginAt('a'));
    assert.deepEqual(await createLoginStore(secrets).get(server), loginAt('a'));
  });

  test('never gives tokens with another authorization server than theirs, wherever a change is interrupted', async () => {
    for (let writes = 0; writes < 10; writes++) {
      const { secrets, stopAfter } = memorySecrets();
      await createLoginStore(secrets).replace(server, loginAt('a'));
      stopAfter(writes);
      await createLoginStore(secrets)
        .replace(server, loginAt('b'))
        .catch(() => {});

      const found = await createLoginStore(secrets).get(server);

      if (found) assert.deepEqual(found, loginAt(found.issuer.at(-1) ?? ''));
    }
  });

  test('has the new refresh token wherever a refresh is interrupted after its first change', async () => {
    for (let writes = 1; writes < 10; writes++) {
      const { secrets, stopAfter } = memorySecrets();
      await createLoginStore(secrets).replace(server, loginAt('a'));
      stopAfter(writes);
      await createLoginStore(secrets)
        .update(server, { ...loginAt('a'), accessToken: 'new access', refreshToken: 'new refresh' })
        .catch(() => {});

      const found = await createLoginStore(secrets).get(server);

      assert.equal(found?.refreshToken, 'new refresh');
    }
  });

  test('does not remember what was deleted while it was read', async () => {
    const { secrets } = memorySecrets();
    await createLoginStore(secrets).replace(server, loginAt('a'));
    const store = createLoginStore(secrets);

    const reading = store.get(server);
    await store.delete('github');
    await reading;

    assert.equal(await store.get(server), undefined);
  });

  test('keeps the client of each authorization server apart', async () => {
    const store = createLoginStore(memorySecrets().secrets);
    const clients = ['https://a.test', 'https://b.test'].map((issuer) => ({
      issuer,
      clientId: `client of ${issuer}`,
      clientSecret: `secret of ${issuer}`,
      redirectUri: 'http://127.0.0.1:1/callback',
    }));
    for (const client of clients) await store.setClient('github', client);

    await store.deleteClient('github', 'https://a.test');

    assert.equal(await store.client('github', 'https://a.test'), undefined);
    assert.deepEqual(await store.client('github', 'https://b.test'), clients[1]);
  });

  for (const text of ['', 'null', '[]', '{}', '{"url":5}', '{"url":"https://mcp.example.test/mcp"}']) {
    test(`has no login where it is stored as ${text}`, async () => {
      const { secrets } = memorySecrets();
      await secrets.set('oauth/github', 'login', text);

      assert.equal(await createLoginStore(secrets).get(server), undefined);
    });
  }
});

function loginAt(name: string): StoredLogin {
  return {
    url: server.url,
    issuer: `https://auth.test/${name}`,
    resource: server.url,
    scopes: ['read'],
    wanted: [],
    obtainedAt: 1,
    isEnded: false,
    accessToken: `access of ${name}`,
    refreshToken: `refresh of ${name}`,
  };
}

/** Secrets in memory; after so many changes, each fails. */
function memorySecrets() {
  const values = new Map<string, string>();
  let left = Number.POSITIVE_INFINITY;
  const change = () => {
    if (left-- <= 0) throw new Error('stopped');
  };
  const secrets: OAuthSecrets = {
    get: async (group, name) => values.get(`${group} ${name}`),
    async set(group, name, value) {
      change();
      values.set(`${group} ${name}`, value);
    },
    async delete(group, name) {
      change();
      return values.delete(`${group} ${name}`);
    },
    async deleteGroup(group) {
      change();
      for (const key of values.keys()) if (key.startsWith(`${group} `)) values.delete(key);
      return true;
    },
  };
  return {
    secrets,
    stopAfter(changes: number) {
      left = changes;
    },
  };
}
