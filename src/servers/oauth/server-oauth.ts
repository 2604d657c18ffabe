import type { Clock } from '../../lib/clock.ts';
import type { Dialog } from '../../lib/dialogs.ts';
import type { Log } from '../../lib/log.ts';
import { type BearerChallenge, bearerChallenge } from './challenge.ts';
import type { LoginOptions, LoginStep } from './login.ts';
import { createLoginStore } from './login-store.ts';
import { createLoginTokens } from './login-tokens.ts';
import type { OAuthSecrets, OAuthServer } from './oauth-server.ts';

/** Without a login, logged in, with a token that has expired and cannot be refreshed, or with a login that is no longer accepted. */
export type LoginStatus = 'none' | 'connected' | 'expired' | 'needs-login';

export interface LoggedIn {
  issuer: string;
  scopes: readonly string[];
  /** Whether the login lasts longer than its first token. */
  isRefreshable: boolean;
}

/** OAuth 2.1 for remote MCP servers, as a client. */
export interface ServerOAuth {
  /**
   * The `Authorization` header, refreshed where necessary; undefined if nobody has logged in. Throws AppError, `UNAUTHENTICATED`
   * if a person has to log in again.
   */
  authorization(server: OAuthServer): Promise<string | undefined>;
  /**
   * After an answer 401, or 403 with a challenge. `retry`: once, with another header. `login`: a person has to log in. `used` is
   * the header that was refused; without it, it is taken to be the current one.
   */
  onUnauthorized(server: OAuthServer, challenge: string | undefined, used?: string): Promise<'retry' | 'login'>;
  /** Asks a person to log in. The login before stays until the new one has succeeded. */
  login(server: OAuthServer, options: LoginOptions): Dialog<LoginStep, LoggedIn>;
  status(server: OAuthServer): Promise<LoginStatus>;
  /** Deletes the login and the registration. `isRevoked`: the authorization server no longer accepts the tokens. */
  logout(server: OAuthServer): Promise<{ isRevoked: boolean }>;
}

interface ServerOAuthParts {
  secrets: OAuthSecrets;
  clock: Clock;
  log: Log;
  fetch?: typeof globalThis.fetch;
}

const REVOCATION_TIMEOUT_MS = 15_000;

export function createServerOAuth({ secrets, clock, log, fetch = globalThis.fetch }: ServerOAuthParts): ServerOAuth {
  const store = createLoginStore(secrets);
  const tokens = createLoginTokens({ store, clock, log, fetch });
  /** The last challenge of each server, by id. */
  const challenges = new Map<string, { url: string; challenge: BearerChallenge }>();

  async function revoke(server: OAuthServer, login: Parameters<Parameters<typeof tokens.forget>[1]>[0]) {
    if (!login || login.isEnded) return false;
    try {
      const { revokeLogin } = await import('./stored-grant.ts');
      return await revokeLogin(server, login, { store, fetch, signal: AbortSignal.timeout(REVOCATION_TIMEOUT_MS) });
    } catch (error) {
      log.warn({ err: error, server: server.id }, 'The tokens of a server could not be revoked.');
      return false;
    }
  }

  return {
    authorization: async (server) => (server.auth.type === 'oauth' ? tokens.header(server) : undefined),
    async onUnauthorized(server, header, used) {
      if (server.auth.type !== 'oauth') return 'login';
      const challenge = bearerChallenge(header);
      if (challenge) challenges.set(server.id, { url: server.url, challenge });
      const isMore = challenge?.error === 'insufficient_scope';
      return isMore ? tokens.want(server, challenge.scopes ?? [], used) : tokens.renew(server, used);
    },
    async *login(server, options) {
      const known = challenges.get(server.id);
      const { login } = await import('./login.ts');
      const challenge = known?.url === server.url ? known.challenge : undefined;
      const received = yield* login(server, options, { store, clock, fetch, challenge });
      await tokens.accept(server, received);
      challenges.delete(server.id);
      const { issuer, scopes, refreshToken } = received;
      return { issuer, scopes, isRefreshable: refreshToken !== undefined };
    },
    async status(server) {
      const login = await store.get(server);
      if (!login) return 'none';
      if (login.isEnded) return 'needs-login';
      const isOver = login.refreshToken === undefined && (login.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now();
      return isOver ? 'expired' : 'connected';
    },
    async logout(server) {
      let isRevoked = false;
      await tokens.forget(server, async (login) => {
        isRevoked = await revoke(server, login);
      });
      challenges.delete(server.id);
      return { isRevoked };
    },
  };
}
