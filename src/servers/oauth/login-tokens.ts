import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { validScopes } from './challenge.ts';
import type { LoginStore, StoredLogin } from './login-store.ts';
import { needsLogin, type OAuthServer } from './oauth-server.ts';

/** The tokens of logins. Each change of a login is made after the one before it. */
export interface LoginTokens {
  /** A header with a valid token; undefined if nobody has logged in. Throws AppError. */
  header(server: OAuthServer): Promise<string | undefined>;
  /** After the server has refused a token. `used` is the header with it, where it is known. */
  renew(server: OAuthServer, used: string | undefined): Promise<'retry' | 'login'>;
  /** After the server has asked for more scopes. */
  want(server: OAuthServer, scopes: readonly string[], used: string | undefined): Promise<'retry' | 'login'>;
  accept(server: OAuthServer, login: StoredLogin): Promise<void>;
  /** Runs the work, and then there is no login any more. */
  forget(server: OAuthServer, work: (login: StoredLogin | undefined) => Promise<void>): Promise<void>;
}

interface LoginTokensParts {
  store: LoginStore;
  clock: Clock;
  log: Log;
  fetch: typeof fetch;
}

/** Before it expires; less for tokens that do not last that long. */
const MARGIN_MS = 5 * 60_000;
/** A token that replaced a refused one, and is refused so soon, will not be replaced by a better one. */
const FRESH_MS = 60_000;
const RETRY_MS = 30_000;
/** Of a refresh. It serves all callers, so that none of them can cancel it. */
const REFRESH_TIMEOUT_MS = 60_000;

export function createLoginTokens({ store, clock, log, fetch }: LoginTokensParts): LoginTokens {
  const refreshing = new Map<string, Promise<StoredLogin | undefined>>();
  const lastChanges = new Map<string, Promise<unknown>>();
  /** Tokens that were received and could not be stored yet: those in the store are invalid where they are rotated. */
  const unsaved = new Map<string, StoredLogin>();
  /** When a refresh is tried again that has failed while the token was still valid, by id of the server. */
  const retryTimes = new Map<string, number>();
  /** Access tokens that have replaced a refused one, by id of the server. */
  const replacements = new Map<string, string | undefined>();

  function exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    const run = (lastChanges.get(id) ?? Promise.resolve()).then(work);
    const settled: Promise<unknown> = run
      .catch(() => {})
      .then(() => lastChanges.get(id) === settled && lastChanges.delete(id));
    lastChanges.set(id, settled);
    return run;
  }

  async function update(server: OAuthServer, login: StoredLogin): Promise<StoredLogin> {
    unsaved.set(server.id, login);
    await store.update(server, login);
    unsaved.delete(server.id);
    return login;
  }

  /** What is stored, after what could not be stored before. */
  async function current(server: OAuthServer): Promise<StoredLogin | undefined> {
    const left = unsaved.get(server.id);
    return left?.url === server.url ? update(server, left) : store.get(server);
  }

  /** Undefined where there is no refresh token, or it is refused. Callers at the same time share one refresh. */
  function refresh(server: OAuthServer, used: StoredLogin): Promise<StoredLogin | undefined> {
    const running = refreshing.get(server.id);
    if (running) return running;
    const run = exclusively(server.id, () => refreshNow(server, used)).finally(() => refreshing.delete(server.id));
    refreshing.set(server.id, run);
    return run;
  }

  async function refreshNow(server: OAuthServer, used: StoredLogin): Promise<StoredLogin | undefined> {
    const login = await current(server);
    // Somebody has logged in or out while this waited.
    if (!login || login.isEnded || login.accessToken !== used.accessToken) return login?.isEnded ? undefined : login;
    const { refreshToken } = login;
    if (refreshToken === undefined) return end(server, login);
    const { refreshLogin } = await import('./stored-grant.ts');
    const signal = AbortSignal.timeout(REFRESH_TIMEOUT_MS);
    const refreshed = await refreshLogin(server, { ...login, refreshToken }, { store, fetch, signal });
    if (refreshed.kind === 'ended') {
      log.info({ err: refreshed.cause, server: server.id }, 'The login of a server has ended.');
      return end(server, login);
    }
    const { expiresAt: _, ...rest } = login;
    const { lifetime, scopes, ...tokens } = refreshed.tokens;
    const now = clock.now();
    return update(server, {
      ...rest,
      ...tokens,
      ...(scopes === undefined ? {} : { scopes }),
      obtainedAt: now,
      ...(lifetime === undefined ? {} : { expiresAt: now + lifetime }),
    });
  }

  async function end(server: OAuthServer, login: StoredLogin): Promise<undefined> {
    const { accessToken: _, refreshToken: __, ...rest } = login;
    await update(server, { ...rest, isEnded: true });
  }

  return {
    async header(server) {
      const login = unsaved.has(server.id)
        ? await exclusively(server.id, () => current(server))
        : await store.get(server);
      if (!login) return undefined;
      const now = clock.now();
      if (!login.isEnded && now < refreshTime(login)) return headerOf(login);
      const isValid = login.accessToken !== undefined && now < (login.expiresAt ?? 0);
      if (login.isEnded || (login.refreshToken === undefined && !isValid)) throw needsLogin(server.id);
      if (login.refreshToken === undefined) return headerOf(login);
      if (isValid && now < (retryTimes.get(server.id) ?? 0)) return headerOf(login);
      const next = await refresh(server, login).catch((error: unknown) => {
        if (!isValid || unsaved.has(server.id)) throw error;
        log.warn({ err: error, server: server.id }, 'A token could not be refreshed; it is still valid.');
        retryTimes.set(server.id, clock.now() + RETRY_MS);
        return login;
      });
      if (next) return headerOf(next);
      throw needsLogin(server.id);
    },
    async renew(server, used) {
      const login = await store.get(server);
      if (!login || login.isEnded) return 'login';
      if (used !== undefined && used !== headerOf(login)) return 'retry';
      const isFresh = clock.now() - login.obtainedAt < FRESH_MS && replacements.get(server.id) === login.accessToken;
      if (isFresh) return 'login';
      const next = await refresh(server, login);
      if (!next) return 'login';
      replacements.set(server.id, next.accessToken);
      return 'retry';
    },
    want: (server, scopes, used) =>
      exclusively(server.id, async () => {
        const login = await current(server);
        if (!login) return 'login';
        if (used !== undefined && !login.isEnded && used !== headerOf(login)) return 'retry';
        const wanted = validScopes([...login.wanted, ...scopes]);
        if (wanted.length > login.wanted.length) await update(server, { ...login, wanted });
        return 'login';
      }),
    accept: (server, login) =>
      exclusively(server.id, async () => {
        unsaved.delete(server.id);
        await store.replace(server, login);
      }),
    forget: (server, work) =>
      exclusively(server.id, async () => {
        const login = await store.get(server);
        await work(unsaved.get(server.id) ?? login);
        unsaved.delete(server.id);
        await store.delete(server.id);
      }),
  };
}

function headerOf({ accessToken }: StoredLogin): string | undefined {
  return accessToken === undefined ? undefined : `Bearer ${accessToken}`;
}

/** From when on a token is refreshed before it is used. */
function refreshTime({ accessToken, obtainedAt, expiresAt }: StoredLogin): number {
  if (accessToken === undefined) return 0;
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return expiresAt - Math.min(MARGIN_MS, (expiresAt - obtainedAt) / 2);
}
