import type { AuthorizationServer } from 'oauth4webapi';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { listenForRedirect, RedirectFailure, type RedirectListener } from '../../lib/redirect-listener.ts';
import { isLoopbackHost } from '../../lib/secure-url.ts';
import type { LoginStore, RegisteredClient } from './login-store.ts';
import type { OAuthServer } from './oauth-server.ts';
import { register } from './registration.ts';
import type { OAuthRequests } from './requests.ts';

/** Our client at an authorization server, and the listener for what its page sends back. */
export interface OpenClient {
  /** A stored registration may be unknown to the authorization server by now. */
  origin: 'configured' | 'stored' | 'new';
  registered: Pick<RegisteredClient, 'clientId' | 'clientSecret' | 'method'>;
  listener: RedirectListener;
}

interface ClientWanted {
  server: OAuthServer;
  authority: AuthorizationServer;
  scopes: readonly string[];
  state: string;
  store: LoginStore;
  requests: OAuthRequests;
  clock: Clock;
  signal: AbortSignal;
}

/** The port is chosen at random, and then registered. */
const REDIRECT_URI = 'http://127.0.0.1/callback';
const TIMEOUT_MS = 10 * 60_000;

export async function openClient(wanted: ClientWanted): Promise<OpenClient> {
  const { server, store } = wanted;
  const configured = await configuredClient(server, store);
  if (configured) {
    const listener = await listen(wanted, redirectUriOf(server));
    return { origin: 'configured', registered: configured, listener };
  }
  return (await storedClient(wanted)) ?? newClient(wanted);
}

/** The client that the user has registered. */
export async function configuredClient(
  { id, auth }: OAuthServer,
  store: LoginStore,
): Promise<OpenClient['registered'] | undefined> {
  if (auth.type !== 'oauth' || auth.client_id === undefined) return undefined;
  const clientSecret = await store.configuredSecret(id);
  return { clientId: auth.client_id, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

function redirectUriOf({ auth }: OAuthServer): string {
  const uri = (auth.type === 'oauth' ? auth.redirect_uri : undefined) ?? REDIRECT_URI;
  if (URL.canParse(uri) && new URL(uri).protocol === 'http:' && isLoopbackHost(new URL(uri))) return uri;
  throw new AppError('VALIDATION_ERROR', 'redirect_uri must be an http address of this machine.', {
    field: 'auth.redirect_uri',
  });
}

/** Many authorization servers compare the port too, so that the registered one is used again. */
async function storedClient(wanted: ClientWanted): Promise<OpenClient | undefined> {
  const registered = await wanted.store.client(wanted.server.id, wanted.authority.issuer);
  if (!registered || (registered.secretExpiresAt ?? Number.POSITIVE_INFINITY) <= wanted.clock.now()) return undefined;
  try {
    return { origin: 'stored', registered, listener: await listen(wanted, registered.redirectUri) };
  } catch (error) {
    if (error instanceof RedirectFailure && error.reason === 'port') return undefined;
    throw error;
  }
}

async function newClient(wanted: ClientWanted): Promise<OpenClient> {
  const listener = await listen(wanted, REDIRECT_URI);
  const registered = await register({ ...wanted, redirectUri: listener.redirectUri });
  await wanted.store.setClient(wanted.server.id, registered);
  return { origin: 'new', registered, listener };
}

async function listen({ state, signal }: ClientWanted, redirectUri: string): Promise<RedirectListener> {
  const listener = await listenForRedirect({ redirectUri, state, signal, timeoutMs: TIMEOUT_MS });
  // The login may end before anything waits for it.
  listener.answer.catch(() => {});
  return listener;
}
