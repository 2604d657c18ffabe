import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountSettings, accountsOf } from '../../../tests/support/email/account-samples.ts';
import { contextWith } from '../../../tests/support/operation-context.ts';
import { createAccounts } from '../accounts/account.ts';
import { listAccounts } from './list-accounts.ts';

const connections = {
  state: async (id: string) => (id === 'home' ? { isConnected: false, problem: 'It is down.' } : { isConnected: true }),
};

describe('list_accounts', () => {
  test('EMAIL-04 gives name, address, provider and id of each account', async () => {
    const accounts = accountsOf({
      work: { name: 'Work', email: 'alice@example.test' },
      home: { email: 'alice@home.test', smtp: undefined },
    });

    const listed = await listAccounts.run({}, contextWith({ accounts, connections }));

    assert.deepEqual(
      listed.accounts.map(({ id, name, email, provider, can_send }) => ({ id, name, email, provider, can_send })),
      [
        { id: 'work', name: 'Work', email: 'alice@example.test', provider: 'imap', can_send: true },
        { id: 'home', name: 'home', email: 'alice@home.test', provider: 'imap', can_send: false },
      ],
    );
    assert.equal(
      listAccounts.render?.(listed),
      'work "Work" alice@example.test (imap, can send, in the configuration file): connected\nhome alice@home.test (imap, cannot send, in the configuration file): not connected. It is down.',
    );
  });

  test('EMAIL-04 gives an empty list where there is none', async () => {
    const listed = await listAccounts.run({}, contextWith({ accounts: accountsOf({}), connections }));

    assert.deepEqual(listed, { accounts: [] });
    assert.equal(listAccounts.render?.(listed), 'No email account is configured.');
  });

  test('says which accounts are in the file, and prefers them to rows with the same id', async () => {
    const row = (id: string) => ({ id, settings: { email: `${id}@store.test`, imap: { host: 'h' } }, createdAt: 1 });
    const accounts = createAccounts({
      configured: async () => ({ work: accountSettings() }),
      stored: async () => [row('work'), row('other')],
    });

    const listed = await listAccounts.run({}, contextWith({ accounts, connections }));

    assert.deepEqual(
      listed.accounts.map(({ id, email, configured_in }) => [id, email, configured_in]),
      [
        ['work', 'alice@example.test', 'file'],
        ['other', 'other@store.test', 'store'],
      ],
    );
  });
});
