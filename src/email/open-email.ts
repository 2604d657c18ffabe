import type { CapabilityParts, OpenCapability } from '../capability.ts';
import type { MailConnector } from '../connectors/mail-connector.ts';
import { opensLate } from '../lib/once.ts';
import type { Accounts } from './accounts/account.ts';
import { type EmailParts, emailOffer } from './offer.ts';
import type { EmailStores } from './ports.ts';
import type { EmailSettings } from './settings.ts';

/** Dependencies that email may not import. */
export interface EmailOptions {
  /** IMAP and SMTP, loaded when an account is first used. */
  mail(): Promise<MailConnector>;
}

/** Email at run time: its accounts, opened at first use, and its background work. */
export function openEmail(
  _options: EmailOptions,
  { settings, store }: CapabilityParts<EmailStores, EmailSettings>,
): OpenCapability {
  const parts: EmailParts = {
    accounts: opensLate<Accounts>(async () => {
      const [{ createAccounts }, { accounts }] = await Promise.all([import('./accounts/account.ts'), store()]);
      return createAccounts({ configured: async () => (await settings()).accounts, stored: accounts.list });
    }),
  };
  return emailOffer(parts);
}
