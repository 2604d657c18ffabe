import { type MailCredentials, MailError } from '../../connectors/mail-connector.ts';
import type { AccessTokens } from './access-tokens.ts';
import { type Account, presetOf } from './account.ts';
import type { AccountSecrets } from './secrets.ts';

/** How accounts sign in. */
export interface Credentials {
  /** Throws MailError: `rejected` if a person has to do something first. */
  of(account: Account): Promise<MailCredentials>;
  /** A server refused them: a token is not used again. */
  refused(account: Account, credentials: MailCredentials): void;
}

interface CredentialsParts {
  secrets: Pick<AccountSecrets, 'get'>;
  tokens: Pick<AccessTokens, 'get' | 'discard'>;
}

export function createCredentials({ secrets, tokens }: CredentialsParts): Credentials {
  return {
    async of(account) {
      const { auth } = account.settings;
      const user = auth.user ?? account.email;
      if (auth.oauth) return { user, accessToken: await tokens.get(account) };
      const password = auth.password ?? (await secrets.get(account.id, 'password'));
      if (password === undefined) throw new MailError('rejected', noPassword(account));
      return { user, password };
    },
    refused(account, credentials) {
      if ('accessToken' in credentials) tokens.discard(account, credentials.accessToken);
    },
  };
}

function noPassword(account: Account): string {
  const preset = presetOf(account);
  const rule = preset ? ` ${preset.name} ${preset.password.rule}: ${preset.password.page}` : '';
  return `Account ${account.id} has no password. Store it with \`switchboard email login ${account.id}\`.${rule}`;
}
