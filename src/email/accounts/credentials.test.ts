import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountOf, secretsInMemory } from '../../../tests/support/email/account-samples.ts';
import { createCredentials } from './credentials.ts';

const noTokens = { get: async () => assert.fail('no token is needed'), discard() {} };

describe('the credentials of an account', () => {
  test('are the password of the file, and the address as user name', async () => {
    const { of } = createCredentials({ secrets: secretsInMemory({ 'work password': 'stored' }), tokens: noTokens });

    const found = await of(accountOf('work', { auth: { password: 'in the file' } }));

    assert.deepEqual(found, { user: 'alice@example.test', password: 'in the file' });
  });

  test('are the password of the secrets store where the file has none', async () => {
    const { of } = createCredentials({ secrets: secretsInMemory({ 'work password': 'stored' }), tokens: noTokens });

    assert.deepEqual(await of(accountOf('work', { auth: { user: 'alice' } })), { user: 'alice', password: 'stored' });
  });

  test('are missing where nothing is stored; the error says what the provider takes', async () => {
    const { of } = createCredentials({ secrets: secretsInMemory(), tokens: noTokens });

    await assert.rejects(of(accountOf('work', { imap: undefined, smtp: undefined, provider: 'icloud' })), {
      name: 'MailError',
      kind: 'rejected',
      message:
        'Account work has no password. Store it with `switchboard email login work`. iCloud takes an app-specific password: https://support.apple.com/102654',
    });
  });

  test('are an access token with OAuth, which is discarded when a server refuses it', async () => {
    const discarded: string[] = [];
    const { of, refused } = createCredentials({
      secrets: secretsInMemory(),
      tokens: { get: async ({ id }) => `token of ${id}`, discard: (_, token) => void discarded.push(token) },
    });
    const account = accountOf('work', { auth: { oauth: { provider: 'google', client_id: 'c' } } });

    const found = await of(account);
    refused(account, found);
    refused(account, { user: 'alice', password: 'p' });

    assert.deepEqual(found, { user: 'alice@example.test', accessToken: 'token of work' });
    assert.deepEqual(discarded, ['token of work']);
  });
});
