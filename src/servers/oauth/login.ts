import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Dialog } from '../../lib/dialogs.ts';
import { type BearerChallenge, bearerChallenge, validScopes } from './challenge.ts';
import { loginByDevice } from './device-login.ts';
import { type Discovered, discover } from './discovery.ts';
import { clientOf, exchangeCode, type Grantor, type Tokens } from './grants.ts';
import type { LoginStore, StoredLogin } from './login-store.ts';
import { refusalOf, toOAuthFailure } from './oauth-failure.ts';
import type { OAuthServer } from './oauth-server.ts';
import { type OpenClient, openClient } from './open-client.ts';
import { createOAuthRequests, type OAuthRequests } from './requests.ts';

/** What a person has to do: open a page (and type the code there), or answer with the address of the last page. */
export type LoginStep =
  | { kind: 'open'; url: string; code?: string }
  | { kind: 'ask'; field: 'callback_url'; label: string; secret: false; url: string };

export interface LoginOptions {
  /** Whether there is a browser on this machine. Without one a code is typed elsewhere, or an address is pasted. */
  openBrowser?: boolean;
  signal: AbortSignal;
}

interface LoginParts {
  store: LoginStore;
  clock: Clock;
  fetch: typeof fetch;
  /** The last challenge of the server, where it is known. */
  challenge: BearerChallenge | undefined;
}

const MAX_PASTES = 3;
const MAX_PASTED = 16_384;

/** Nothing of the login is stored, only the registration of the client. */
export async function* login(
  server: OAuthServer,
  { openBrowser = true, signal: cancel }: LoginOptions,
  { store, clock, fetch: fetcher, challenge }: LoginParts,
): Dialog<LoginStep, StoredLogin> {
  const ended = new AbortController();
  const signal = AbortSignal.any([cancel, ended.signal]);
  const requests = createOAuthRequests(server.url, fetcher);
  try {
    if (!requests.allows(server.url)) throw insecure();
    const before = await store.get(server);
    const asked = challenge ?? (await challengeOf(server, requests, signal));
    const found = await discover({ url: server.url, challenge: asked, issuer: before?.issuer }, requests, signal);
    checkBinding(server, before, found);
    const scopes = scopesFor(server, asked, found, before);
    const flow: Flow = { server, found, scopes, store, clock, requests, signal, openBrowser };
    return toLogin(yield* obtain(flow), flow);
  } finally {
    // Closes the listener too, when the dialog is given up.
    ended.abort();
  }
}

interface Flow {
  server: OAuthServer;
  found: Discovered;
  scopes: readonly string[];
  store: LoginStore;
  clock: Clock;
  requests: OAuthRequests;
  signal: AbortSignal;
  openBrowser: boolean;
}

function insecure(): AppError {
  return new AppError('VALIDATION_ERROR', 'A login needs a server with https, or one on this machine.', {
    field: 'url',
  });
}

/** A request that does nothing, for the challenge in its answer. */
async function challengeOf({ url }: OAuthServer, requests: OAuthRequests, signal: AbortSignal) {
  return requests.challenge(url, signal).then(bearerChallenge, (error: unknown) => {
    throw toOAuthFailure(error, new URL(url).host);
  });
}

/** A client that the user registered belongs to one authorization server. The server may not send its secret elsewhere. */
function checkBinding({ id, auth }: OAuthServer, before: StoredLogin | undefined, { authority }: Discovered): void {
  if (auth.type !== 'oauth' || auth.client_id === undefined) return;
  if (!before || before.issuer === authority.issuer) return;
  throw new AppError('CONFLICT', `The server ${id} names another authorization server than at the last login.`, {
    hint: `If that is expected, run \`switchboard servers logout ${id}\` and log in again.`,
  });
}

/** The scopes of the login before are kept, so that more scopes for one tool do not take those of another. */
function scopesFor(
  { auth }: OAuthServer,
  challenge: BearerChallenge | undefined,
  { authority, scopes: supported }: Discovered,
  before: StoredLogin | undefined,
): string[] {
  const configured = auth.type === 'oauth' ? auth.scopes : undefined;
  const wanted = challenge?.scopes ?? supported ?? configured ?? [];
  const kept = before?.issuer === authority.issuer ? [...before.scopes, ...before.wanted] : [];
  const offline = authority.scopes_supported?.includes('offline_access') ? ['offline_access'] : [];
  return validScopes([...wanted, ...kept, ...offline]);
}

async function* obtain(flow: Flow): Dialog<LoginStep, Tokens> {
  const { server, store, found, signal } = flow;
  const { host } = new URL(found.authority.issuer);
  for (;;) {
    const state = generateRandomState();
    let client: OpenClient | undefined;
    try {
      client = await openClient({ ...flow, authority: found.authority, state });
      const grantor = { ...found, ...clientOf(found.authority, client.registered), requests: flow.requests, signal };
      return yield* withClient(flow, grantor, client, state);
    } catch (error) {
      const isForgotten = ['invalid_client', 'unauthorized_client'].includes(refusalOf(error) ?? '');
      if (client?.origin !== 'stored' || !isForgotten) throw toOAuthFailure(error, host);
      // The next round registers again, so there are only two.
      await store.deleteClient(server.id, found.authority.issuer);
    }
  }
}

async function* withClient(
  flow: Flow,
  grantor: Grantor,
  { listener }: OpenClient,
  state: string,
): Dialog<LoginStep, Tokens> {
  const { authorization_endpoint: page } = grantor.authority;
  if (!flow.openBrowser || page === undefined) {
    const device = yield* loginByDevice(grantor, flow.scopes, { clock: flow.clock, isRequired: page === undefined });
    if (device) return device;
  }
  const verifier = generateRandomCodeVerifier();
  const { redirectUri } = listener;
  const url = await pageUrl(page ?? '', grantor, { scopes: flow.scopes, state, verifier, redirectUri });
  if (flow.openBrowser) yield { kind: 'open', url };
  const answer = await (flow.openBrowser ? listener.answer : yield* pasted(url, listener, state));
  return exchangeCode(grantor, answer, { state, verifier, redirectUri });
}

async function pageUrl(
  page: string,
  { client, resource }: Grantor,
  { scopes, state, verifier, redirectUri }: Record<'state' | 'verifier' | 'redirectUri', string> & Pick<Flow, 'scopes'>,
): Promise<string> {
  const url = new URL(page);
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    // OpenID Connect gives a refresh token only where the user is asked.
    prompt: scopes.includes('offline_access') ? 'consent' : '',
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== '') url.searchParams.set(name, value);
  return url.href;
}

/** The page can be opened on any machine. Its browser fails at the last address, which has the answer in it. */
async function* pasted(
  url: string,
  { answer, redirectUri }: OpenClient['listener'],
  state: string,
): Dialog<LoginStep, URLSearchParams> {
  let received: URLSearchParams | undefined;
  answer.then(
    (parameters) => {
      received = parameters;
    },
    () => {},
  );
  const step = { kind: 'ask', field: 'callback_url', secret: false, url } as const;
  const label = `Log in on this page with any browser, and paste the address that it ends on (${redirectUri}…)`;
  for (let count = 0; count < MAX_PASTES; count++) {
    const text = yield { ...step, label: count === 0 ? label : `That is not the address. ${label}` };
    const parameters = received ?? parametersIn(text.trim(), redirectUri);
    if (parameters?.get('state') === state) return parameters;
  }
  throw new AppError('VALIDATION_ERROR', 'The address is not the one that this login ends on.', {
    field: 'callback_url',
  });
}

function parametersIn(text: string, redirectUri: string): URLSearchParams | undefined {
  if (text.length > MAX_PASTED || !URL.canParse(text)) return undefined;
  const [given, wanted] = [new URL(text), new URL(redirectUri)];
  return given.origin === wanted.origin && given.pathname === wanted.pathname ? given.searchParams : undefined;
}

function toLogin(
  { accessToken, refreshToken, lifetime, scopes }: Tokens,
  { server, found, scopes: requested, clock }: Flow,
): StoredLogin {
  const now = clock.now();
  return {
    url: server.url,
    issuer: found.authority.issuer,
    resource: found.resource,
    scopes: scopes ?? requested,
    wanted: [],
    obtainedAt: now,
    isEnded: false,
    accessToken,
    ...(lifetime === undefined ? {} : { expiresAt: now + lifetime }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
}
