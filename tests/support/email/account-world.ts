import assert from 'node:assert/strict';
import { imap } from '../../../src/connectors/imap/index.ts';
import { mailOAuth } from '../../../src/connectors/imap/oauth/index.ts';
import type { MailDiscovery } from '../../../src/connectors/mail-connector.ts';
import { createAccounts } from '../../../src/email/accounts/account.ts';
import { type AccountProgress, createAccountDialogs } from '../../../src/email/accounts/account-dialogs.ts';
import type { AddRequest } from '../../../src/email/accounts/add-account.ts';
import { createMailAccess } from '../../../src/email/accounts/mail-access.ts';
import { manualClock } from '../manual-clock.ts';
import { silentLog } from '../operation-context.ts';
import { openStore } from '../store/open-store.ts';
import { secretsInMemory } from './account-samples.ts';

const NOTHING: MailDiscovery = {
  published: async () => undefined,
  records: async () => undefined,
  exchangers: async () => [],
  answers: async () => false,
};

/** Accounts on a store in memory, with the real connector, and a made-up internet to find servers in. */
export async function accountWorld(found: Partial<MailDiscovery> = {}) {
  const clock = manualClock(Date.now());
  const store = await openStore({ url: 'sqlite::memory:', home: '/', clock, log: silentLog });
  const { accounts: repository } = store.email;
  const secrets = secretsInMemory();
  const access = createMailAccess({ home: '/', oauth: async () => mailOAuth, secrets, clock });
  const accounts = createAccounts({ configured: async () => ({}), stored: repository.list });
  const dialogs = createAccountDialogs({
    mail: async () => imap,
    oauth: async () => mailOAuth,
    discovery: async () => ({ ...NOTHING, ...found }),
    access,
    accounts,
    secrets,
    repository,
    isTaken: async (id) => (await accounts.list()).some((account) => account.id === id),
    clock,
    log: silentLog,
  });
  return {
    clock,
    secrets,
    access,
    accounts,
    repository,
    dialogs,
    add: (request: Partial<AddRequest>) => dialogs.add('local', { imap: {}, smtp: {}, receiveOnly: false, ...request }),
    answer: async (id: string, text?: string) =>
      (await dialogs.resume('local', 'a new account', id, text)) ?? assert.fail('the dialog has ended'),
    async close() {
      await dialogs.stop();
      await store.close();
    },
  };
}

export function stepOf(progress: AccountProgress) {
  return progress.kind === 'step' ? progress : assert.fail('the dialog has ended');
}

export function endOf(progress: AccountProgress) {
  return progress.kind === 'end' ? progress.end : assert.fail(`it still asks: ${JSON.stringify(progress.step)}`);
}
