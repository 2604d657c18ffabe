import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountSettings } from '../../../tests/support/email/account-samples.ts';
import { toAccount } from '../accounts/account.ts';
import { checkSending } from './submit-draft.ts';
import { createWritingAccounts } from './writing-accounts.ts';

describe('an account that cannot send', () => {
  test('in config.yaml gets a server there', async () => {
    await assert.rejects(sendFrom('file'), {
      code: 'VALIDATION_ERROR',
      field: 'account',
      message: "The account 'recv' has no server for sending.",
      hint: 'Add `smtp` to accounts.recv in config.yaml.',
    });
  });

  test('that was added by a command is added again: in config.yaml it would be another one, without its settings', async () => {
    await assert.rejects(sendFrom('store'), {
      code: 'VALIDATION_ERROR',
      hint: /`switchboard email remove recv`, then `switchboard email add --email alice@example\.test --id recv`/,
    });
  });

  test('because it was removed does not exist', () => {
    assert.throws(() => checkSending('recv', undefined), { code: 'ACCOUNT_NOT_FOUND' });
  });
});

async function sendFrom(configuredIn: 'file' | 'store'): Promise<void> {
  const account = toAccount('recv', accountSettings({ smtp: undefined }), configuredIn);
  const accounts = createWritingAccounts({ list: async () => [account], resolve: async () => account }, {} as never);
  checkSending('recv', await accounts.byId('recv'));
}
