import { MailError, type MailOAuth, type OAuthTokens } from '../../connectors/mail-connector.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Account } from './account.ts';
import { oauthClientOf } from './oauth-client.ts';
import type { AccountSecrets } from './secrets.ts';

/** A token that expires sooner is refreshed first: it must last for a sign-in. */
const MARGIN_MS = 60_000;
/** Where the authority does not tell how long a token lasts. */
const ASSUMED_MS = 10 * 60_000;
/** Of a request to the authority. It serves all callers, so that none of them can cancel it. */
const REFRESH_TIMEOUT_MS = 60_000;

/** Access tokens of accounts. They are in memory only; refresh tokens are in the secrets store. */
export interface AccessTokens {
  /** A valid one. Throws MailError, `rejected` if a person has to sign in again. */
  get(account: Account): Promise<string>;
  /** A server has refused the token, though it has not expired yet. */
  discard(account: Account, accessToken: string): void;
  /** After a sign-in. */
  accept(account: Account, tokens: OAuthTokens): Promise<void>;
  /** After a sign-out. */
  forget(account: string): void;
}

interface Cached {
  accessToken: string;
  expiresAt: number;
}

interface AccessTokensParts {
  oauth(): Promise<MailOAuth>;
  secrets: AccountSecrets;
  clock: Clock;
}

export function createAccessTokens({ oauth, secrets, clock }: AccessTokensParts): AccessTokens {
  const cache = new Map<string, Cached>();
  const refreshing = new Map<string, Promise<string>>();
  /** Counts sign-ins and sign-outs: what was requested before one of them is not kept. */
  const changes = new Map<string, number>();

  /** The refresh token is stored before anything is done with the access token: the one before may be invalid already. */
  async function keep(id: string, { accessToken, refreshToken, expiresAt }: OAuthTokens): Promise<void> {
    if (refreshToken !== undefined) await secrets.set(id, 'refresh_token', refreshToken);
    cache.set(id, { accessToken, expiresAt: expiresAt ?? clock.now() + ASSUMED_MS });
  }

  function changed(id: string): void {
    changes.set(id, (changes.get(id) ?? 0) + 1);
    cache.delete(id);
    refreshing.delete(id);
  }

  async function refresh(account: Account): Promise<string> {
    const { id } = account;
    const before = changes.get(id);
    const [refreshToken, client] = await Promise.all([secrets.get(id, 'refresh_token'), clientOf(account, secrets)]);
    if (refreshToken === undefined) throw signInAgain(id, 'Nobody has signed in to it yet.');
    const tokens = await (await oauth())
      .refresh(client, refreshToken, { signal: AbortSignal.timeout(REFRESH_TIMEOUT_MS) })
      .catch((error: unknown) => {
        throw error instanceof MailError && error.kind === 'rejected' ? signInAgain(id, error.message, error) : error;
      });
    if (changes.get(id) !== before) throw new MailError('lost', `The sign-in of account ${id} has changed meanwhile.`);
    await keep(id, tokens);
    return tokens.accessToken;
  }

  return {
    async get(account) {
      const { id } = account;
      const known = cache.get(id);
      if (known && known.expiresAt - MARGIN_MS > clock.now()) return known.accessToken;
      // Two refreshes at the same time would invalidate each other's tokens where the authority rotates them.
      const before = refreshing.get(id);
      if (before) return before;
      const running = refresh(account);
      refreshing.set(id, running);
      try {
        return await running;
      } finally {
        if (refreshing.get(id) === running) refreshing.delete(id);
      }
    },
    discard({ id }, accessToken) {
      if (cache.get(id)?.accessToken === accessToken) cache.delete(id);
    },
    async accept({ id }, tokens) {
      changed(id);
      await keep(id, tokens);
    },
    forget: changed,
  };
}

/** The client of an account, with its secret from the file or the secrets store. */
export async function clientOf(account: Account, secrets: Pick<AccountSecrets, 'get'>) {
  const inFile = account.settings.auth.oauth?.client_secret;
  return oauthClientOf(account, inFile ?? (await secrets.get(account.id, 'client_secret')));
}

function signInAgain(id: string, reason: string, cause?: unknown): MailError {
  return new MailError('rejected', `${reason} Sign in with \`switchboard email login ${id}\`.`, cause);
}
