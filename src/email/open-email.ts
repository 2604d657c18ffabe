import type { CapabilityParts, OpenCapability } from '../capability.ts';
import type { MailConnector, MailOAuth } from '../connectors/mail-connector.ts';
import { once, opensLate } from '../lib/once.ts';
import type { Accounts } from './accounts/account.ts';
import type { MailAccess } from './accounts/mail-access.ts';
import { type EmailParts, emailOffer } from './offer.ts';
import type { EmailStores } from './ports.ts';
import type { EmailSettings } from './settings.ts';

/** Dependencies that email may not import. */
export interface EmailOptions {
  /** IMAP and SMTP, loaded when an account is first used. */
  mail(): Promise<MailConnector>;
  oauth(): Promise<MailOAuth>;
}

/** Email at run time: its accounts, opened at first use, and its background work. */
export function openEmail(
  { oauth }: EmailOptions,
  { home, settings, store, secrets, clock }: CapabilityParts<EmailStores, EmailSettings>,
): OpenCapability {
  const accounts = once(async () => {
    const [{ createAccounts }, stores] = await Promise.all([import('./accounts/account.ts'), store()]);
    return createAccounts({ configured: async () => (await settings()).accounts, stored: stores.accounts.list });
  });
  const access = once(async () => {
    const [{ createMailAccess }, { accountSecrets }] = await Promise.all([
      import('./accounts/mail-access.ts'),
      import('./accounts/secrets.ts'),
    ]);
    return createMailAccess({ home, oauth, secrets: accountSecrets(secrets), clock });
  });
  const parts: EmailParts = {
    accounts: opensLate<Accounts>(accounts),
    access: opensLate<MailAccess>(access),
  };
  return emailOffer(parts);
}
