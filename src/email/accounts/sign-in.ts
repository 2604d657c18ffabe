import type {
  BrowserSignIn,
  MailCredentials,
  MailOAuth,
  OAuthClient,
  OAuthTokens,
} from '../../connectors/mail-connector.ts';
import { AppError } from '../../domain/errors.ts';
import type { Dialog } from '../../lib/dialogs.ts';
import { clientOf } from './access-tokens.ts';
import { type Account, presetOf } from './account.ts';
import type { MailAccess } from './mail-access.ts';
import type { AccountSecrets } from './secrets.ts';

/** A step that a person has to take: answer a question, or open a page in a browser. */
export type AccountStep =
  | { kind: 'ask'; field: string; label: string; secret: boolean }
  | { kind: 'open'; url: string; code?: string };

export interface SignInRequest {
  password?: string | undefined;
  clientSecret?: string | undefined;
  /** With a code instead of a browser on this machine. */
  device?: boolean | undefined;
}

export interface SignInParts {
  oauth(): Promise<MailOAuth>;
  secrets: Pick<AccountSecrets, 'get' | 'set'>;
  access: Pick<MailAccess, 'acceptTokens'>;
}

export interface SignedIn {
  credentials: MailCredentials;
  /** Puts the secrets of the sign-in into the secrets store. */
  keep(): Promise<void>;
}

/** Gets the credentials of an account from a person. Nothing is stored before `keep`. */
export async function* signIn(
  account: Account,
  request: SignInRequest,
  parts: SignInParts,
  signal: AbortSignal,
): Dialog<AccountStep, SignedIn> {
  const { auth } = account.settings;
  const user = auth.user ?? account.email;
  if (auth.oauth) return yield* signInByOAuth(account, user, request, parts, signal);
  const password = request.password ?? (yield ask('password', passwordLabel(account), true));
  if (password === '') throw new AppError('VALIDATION_ERROR', 'The password is empty.', { field: 'password' });
  return { credentials: { user, password }, keep: () => parts.secrets.set(account.id, 'password', password) };
}

async function* signInByOAuth(
  account: Account,
  user: string,
  { clientSecret, device = false }: SignInRequest,
  { oauth, secrets, access }: SignInParts,
  signal: AbortSignal,
): Dialog<AccountStep, SignedIn> {
  const stored = await clientOf(account, secrets);
  const client: OAuthClient = clientSecret === undefined ? stored : { ...stored, clientSecret };
  const { signInByDevice, signInByBrowser } = await oauth();
  const begun: BrowserSignIn & { code?: string } = await (device ? signInByDevice : signInByBrowser)(client, {
    signal,
  });
  yield { kind: 'open', url: begun.url, ...(begun.code === undefined ? {} : { code: begun.code }) };
  const tokens: OAuthTokens = await begun.tokens;
  return {
    credentials: { user, accessToken: tokens.accessToken },
    async keep() {
      if (clientSecret !== undefined) await secrets.set(account.id, 'client_secret', clientSecret);
      await access.acceptTokens(account, tokens);
    },
  };
}

export function ask(field: string, label: string, secret = false): AccountStep {
  return { kind: 'ask', field, label, secret };
}

function passwordLabel(account: Account): string {
  const preset = presetOf(account);
  const rule = preset ? ` (${preset.name} ${preset.password.rule}: ${preset.password.page})` : '';
  return `Password for ${account.settings.auth.user ?? account.email}${rule}`;
}
