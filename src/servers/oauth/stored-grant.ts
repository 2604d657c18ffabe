import type { AuthorizationServer } from 'oauth4webapi';
import { authorityAt } from './discovery.ts';
import { clientOf, type Grantor, refreshTokens, revokeToken, type Tokens } from './grants.ts';
import type { LoginStore, StoredLogin } from './login-store.ts';
import { refusalOf, toOAuthFailure } from './oauth-failure.ts';
import type { OAuthServer } from './oauth-server.ts';
import { configuredClient } from './open-client.ts';
import { createOAuthRequests } from './requests.ts';

interface GrantParts {
  store: LoginStore;
  fetch: typeof fetch;
  signal: AbortSignal;
}

export type Refreshed = { kind: 'tokens'; tokens: Tokens } | { kind: 'ended'; cause: unknown };

/** New tokens from the authorization server that gave the old ones. Fails where trying again may help. */
export async function refreshLogin(
  server: OAuthServer,
  login: StoredLogin & { refreshToken: string },
  parts: GrantParts,
): Promise<Refreshed> {
  const { host } = new URL(login.issuer);
  try {
    const grantor = await grantorOf(server, login, parts);
    if (!grantor) return { kind: 'ended', cause: new Error('the registration of the client is missing') };
    return { kind: 'tokens', tokens: await refreshTokens(grantor, login.refreshToken) };
  } catch (error) {
    const failure = toOAuthFailure(error, host);
    const refusal = refusalOf(error);
    if (refusal === undefined) throw failure;
    const isConfigured = server.auth.type === 'oauth' && server.auth.client_id !== undefined;
    // The user can correct the secret of the client, and does not have to log in again then.
    if (refusal === 'invalid_client' && isConfigured) throw failure;
    if (refusal === 'invalid_client') await parts.store.deleteClient(server.id, login.issuer);
    return { kind: 'ended', cause: failure };
  }
}

/** RFC 7009. Returns whether the authorization server has revoked all tokens. */
export async function revokeLogin(server: OAuthServer, login: StoredLogin, parts: GrantParts): Promise<boolean> {
  const grantor = await grantorOf(server, login, parts);
  if (grantor?.authority.revocation_endpoint === undefined) return false;
  const { refreshToken, accessToken } = login;
  if (refreshToken !== undefined) await revokeToken(grantor, refreshToken, 'refresh_token');
  if (accessToken !== undefined) await revokeToken(grantor, accessToken, 'access_token');
  return true;
}

async function grantorOf(
  server: OAuthServer,
  { issuer, resource }: StoredLogin,
  { store, fetch: fetcher, signal }: GrantParts,
): Promise<Grantor | undefined> {
  const registered = (await configuredClient(server, store)) ?? (await store.client(server.id, issuer));
  if (!registered) return undefined;
  const requests = createOAuthRequests(server.url, fetcher);
  const authority: AuthorizationServer = await authorityAt(issuer, requests, signal);
  return { authority, ...clientOf(authority, registered), resource, requests, signal };
}
