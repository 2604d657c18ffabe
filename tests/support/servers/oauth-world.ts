import type { ServerAuth } from '../../../src/domain/server-config.ts';
import type { Dialog } from '../../../src/lib/dialogs.ts';
import type { Secrets } from '../../../src/secrets/store.ts';
import type { LoginStep } from '../../../src/servers/oauth/login.ts';
import type { OAuthSecrets } from '../../../src/servers/oauth/oauth-server.ts';
import { createServerOAuth, type LoggedIn, type ServerOAuth } from '../../../src/servers/oauth/server-oauth.ts';
import { manualClock } from '../manual-clock.ts';
import { silentLog } from '../operation-context.ts';
import { secretsIn } from '../secrets/open-secrets.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startAuthority } from './oauth-authority.ts';
import { startProtectedServer } from './protected-server.ts';

interface Test {
  after(clean: () => unknown): void;
  signal: AbortSignal;
}

interface WorldOptions {
  authority?: Parameters<typeof startAuthority>[0];
  resource?: Omit<Parameters<typeof startProtectedServer>[0], 'authority'>;
  auth?: Omit<Extract<ServerAuth, { type: 'oauth' }>, 'type'>;
}

/** A protected server with its authorization server, and us with a secrets store of our own. */
export async function oauthWorld(test: Test, options: WorldOptions = {}) {
  const home = temporaryFolder((clean) => test.after(clean));
  const secrets: Secrets = secretsIn(home);
  const clock = manualClock();
  const authority = await startAuthority(options.authority);
  const resource = await startProtectedServer({ authority, ...options.resource });
  test.after(() => authority.close());
  test.after(() => resource.close());
  const server = { id: 'github', url: resource.url, auth: { type: 'oauth' as const, ...options.auth } };
  /** As after a restart, where the secrets may fail. */
  const open = (given: OAuthSecrets = secrets, fetcher?: typeof fetch): ServerOAuth =>
    createServerOAuth({ secrets: given, clock, log: silentLog, ...(fetcher ? { fetch: fetcher } : {}) });
  const oauth = open();
  return {
    home,
    secrets,
    clock,
    authority,
    resource,
    server,
    oauth,
    open,
    /** A login in the browser of this machine. */
    login: (by: ServerOAuth = oauth, of = server) => loginInBrowser(by.login(of, { signal: test.signal })),
    /** A request with our header, and with another one if we are told to try again. */
    async call(by: ServerOAuth = oauth): Promise<number | 'login'> {
      const used = await by.authorization(server);
      const first = await request(server.url, used);
      if (first.status === 200) return 200;
      if ((await by.onUnauthorized(server, first.challenge, used)) === 'login') return 'login';
      return (await request(server.url, await by.authorization(server))).status;
    },
  };
}

export type OAuthWorld = Awaited<ReturnType<typeof oauthWorld>>;

/** Opens each page that the dialog shows, as a browser does. */
export async function loginInBrowser(dialog: Dialog<LoginStep, LoggedIn>): Promise<LoggedIn> {
  for (let next = await dialog.next(); ; next = await dialog.next('')) {
    if (next.done) return next.value;
    await (await fetch(next.value.url)).text();
  }
}

/** The first page of a login, and the rest of it. */
export async function firstStep(dialog: Dialog<LoginStep, LoggedIn>): Promise<LoginStep> {
  const { done, value } = await dialog.next();
  if (done) throw new Error('The login has no step.');
  return value;
}

export async function request(
  url: string,
  authorization: string | undefined,
): Promise<{ status: number; challenge: string | undefined }> {
  const headers = authorization === undefined ? {} : { authorization };
  const response = await fetch(url, { method: 'POST', headers, body: '{}' });
  await response.text();
  return { status: response.status, challenge: response.headers.get('www-authenticate') ?? undefined };
}
