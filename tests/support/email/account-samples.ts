import type { z } from 'zod';
import { type Account, type Accounts, createAccounts, toAccount } from '../../../src/email/accounts/account.ts';
import type { AccountSecrets } from '../../../src/email/accounts/secrets.ts';
import { AccountSchema, type AccountSettings } from '../../../src/email/settings.ts';

type Given = Partial<z.input<typeof AccountSchema>>;

/** Settings of an account as the configuration has them. */
export function accountSettings(given: Given = {}): AccountSettings {
  const server = { host: 'mail.example.test' };
  return AccountSchema.parse({ email: 'alice@example.test', imap: server, smtp: server, ...given });
}

export function accountOf(id: string, given: Given = {}): Account {
  return toAccount(id, accountSettings(given), 'file');
}

/** Accounts of a configuration file. */
export function accountsOf(configured: Record<string, Given>): Accounts {
  const settings = Object.fromEntries(Object.entries(configured).map(([id, given]) => [id, accountSettings(given)]));
  return createAccounts({ configured: async () => settings, stored: async () => [] });
}

/** Secrets of accounts in memory, by account and name: `work password`. */
export function secretsInMemory(values: Record<string, string> = {}): AccountSecrets & { values: Map<string, string> } {
  const kept = new Map(Object.entries(values));
  return {
    values: kept,
    get: async (account, name) => kept.get(`${account} ${name}`),
    set: async (account, name, value) => void kept.set(`${account} ${name}`, value),
    delete: async (account, name) => kept.delete(`${account} ${name}`),
    async forget(account) {
      for (const key of kept.keys()) if (key.startsWith(`${account} `)) kept.delete(key);
    },
  };
}
