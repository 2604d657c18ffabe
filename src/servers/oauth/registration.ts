import type { AuthorizationServer } from 'oauth4webapi';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { RegisteredClient } from './login-store.ts';
import { toOAuthFailure } from './oauth-failure.ts';
import type { OAuthRequests } from './requests.ts';

interface Registration {
  authority: AuthorizationServer;
  redirectUri: string;
  scopes: readonly string[];
  requests: OAuthRequests;
  signal: AbortSignal;
}

/** The library insists on status 201 and on an expiry beside each secret, which not every authorization server sends. */
const Registered = z.object({
  client_id: z.string().min(1).max(4_096),
  client_secret: z.string().min(1).max(4_096).optional().catch(undefined),
  client_secret_expires_at: z.number().optional().catch(undefined),
  token_endpoint_auth_method: z.string().optional().catch(undefined),
});

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Dynamic client registration (RFC 7591). */
export async function register(registration: Registration): Promise<RegisteredClient> {
  const { authority, redirectUri } = registration;
  const { host } = new URL(authority.issuer);
  const found = Registered.safeParse(
    await answer(registration).catch((error: unknown) => {
      throw toOAuthFailure(error, host);
    }),
  ).data;
  if (!found) throw notRegistered(host);
  const { client_secret: secret, client_secret_expires_at: expires, token_endpoint_auth_method: method } = found;
  const isPublic = secret === undefined || method === 'none';
  return {
    issuer: authority.issuer,
    clientId: found.client_id,
    redirectUri,
    ...(isPublic ? {} : { clientSecret: secret, ...(expires ? { secretExpiresAt: expires * 1_000 } : {}) }),
    ...(isPublic || method === undefined ? {} : { method }),
  };
}

async function answer({ authority, redirectUri, scopes, requests, signal }: Registration): Promise<unknown> {
  const { registration_endpoint: endpoint, device_authorization_endpoint: device, issuer } = authority;
  if (endpoint === undefined) throw notRegistered(new URL(issuer).host);
  const response = await requests.send(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      client_name: 'Switchboard',
      application_type: 'native',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token', ...(device === undefined ? [] : [DEVICE_GRANT])],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    }),
    signal,
  });
  if (response.status >= 500 || response.status === 429) throw new Error(`the status is ${response.status}`);
  return response.ok ? response.json().catch(() => undefined) : undefined;
}

function notRegistered(host: string): AppError {
  return new AppError('UNAUTHENTICATED', `${host} does not register clients by itself.`, {
    hint: 'Register a client there, and configure its id as auth.client_id of the server.',
  });
}
