import type { z } from 'zod';
import { type Accounts, createAccounts } from '../../../src/email/accounts/account.ts';
import { AccountSchema, type AccountSettings } from '../../../src/email/settings.ts';

type Given = Partial<z.input<typeof AccountSchema>>;

/** Settings of an account as the configuration has them. */
export function accountSettings(given: Given = {}): AccountSettings {
  const server = { host: 'mail.example.test' };
  return AccountSchema.parse({ email: 'alice@example.test', imap: server, smtp: server, ...given });
}

/** Accounts of a configuration file. */
export function accountsOf(configured: Record<string, Given>): Accounts {
  const settings = Object.fromEntries(Object.entries(configured).map(([id, given]) => [id, accountSettings(given)]));
  return createAccounts({ configured: async () => settings, stored: async () => [] });
}
