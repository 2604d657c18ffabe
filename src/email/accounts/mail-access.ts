import type { MailCredentials, MailOAuth, MailServer } from '../../connectors/mail-connector.ts';
import type { Clock } from '../../lib/clock.ts';
import { type AccessTokens, createAccessTokens } from './access-tokens.ts';
import type { Account } from './account.ts';
import { createCredentials } from './credentials.ts';
import type { AccountSecrets } from './secrets.ts';
import { mailServers } from './servers.ts';

/** How accounts reach their servers. */
export interface MailAccess {
  /** Throws MailError: `rejected` if a person has to do something first. */
  servers(account: Account): Promise<{ imap: MailServer; smtp?: MailServer }>;
  /** The same errors. */
  credentials(account: Account): Promise<MailCredentials>;
  /** A server refused the credentials: a token is not used again. */
  refused(account: Account, credentials: MailCredentials): Promise<void>;
  /** The tokens of a sign-in with OAuth. */
  acceptTokens: AccessTokens['accept'];
  /** Deletes the secrets of an account. */
  forget(account: string): Promise<void>;
}

interface MailAccessParts {
  /** Folder of the configuration file. */
  home: string;
  oauth(): Promise<MailOAuth>;
  secrets: AccountSecrets;
  clock: Clock;
}

export function createMailAccess({ home, oauth, secrets, clock }: MailAccessParts): MailAccess {
  const tokens = createAccessTokens({ oauth, secrets, clock });
  const credentials = createCredentials({ secrets, tokens });
  return {
    servers: (account) => mailServers(account, home),
    credentials: credentials.of,
    refused: async (account, used) => credentials.refused(account, used),
    acceptTokens: tokens.accept,
    async forget(account) {
      tokens.forget(account);
      await secrets.forget(account);
    },
  };
}
