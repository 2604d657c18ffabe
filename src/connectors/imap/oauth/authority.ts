import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  None,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { authorityFetch } from '../../../lib/authority-fetch.ts';
import { isLoopbackHost } from '../../../lib/secure-url.ts';
import { MailError, type OAuthClient, type OAuthTokens } from '../../mail-connector.ts';
import { toMailError } from './oauth-errors.ts';

/** The authority and the client, as the library takes them. */
export interface Authority {
  server: AuthorizationServer;
  client: Client;
  auth: ClientAuth;
  /** For texts. */
  host: string;
  /** Whether the answer in the browser can be checked to come from this authority. */
  knowsIssuer: boolean;
}

export async function openAuthority(given: OAuthClient, signal: AbortSignal): Promise<Authority> {
  const { authority, clientId, clientSecret } = given;
  const server = 'token' in authority ? fromEndpoints(authority) : await discovered(authority.issuer, signal);
  return {
    server,
    client: { client_id: clientId },
    auth: clientSecret === undefined ? None() : withSecret(server, clientSecret),
    host: new URL(server.token_endpoint ?? server.issuer).host,
    knowsIssuer: !('token' in authority) || authority.issuer !== undefined,
  };
}

function withSecret(
  { token_endpoint_auth_methods_supported: methods }: AuthorizationServer,
  secret: string,
): ClientAuth {
  return methods && !methods.includes('client_secret_post') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}

type Endpoints = Extract<OAuthClient['authority'], { token: string }>;

function fromEndpoints({ issuer, token, authorization, device }: Endpoints): AuthorizationServer {
  return {
    issuer: issuer ?? new URL(token).origin,
    token_endpoint: token,
    ...(authorization === undefined ? {} : { authorization_endpoint: authorization }),
    ...(device === undefined ? {} : { device_authorization_endpoint: device }),
  };
}

/** OpenID Connect Discovery first, because more authorities have it, then RFC 8414. */
async function discovered(issuer: string, signal: AbortSignal): Promise<AuthorizationServer> {
  const url = new URL(issuer);
  try {
    return await discover(url, 'oidc', signal);
  } catch {
    return await discover(url, 'oauth2', signal).catch((error: unknown) => {
      throw toMailError(error, url.host, 'does not publish its endpoints');
    });
  }
}

async function discover(url: URL, algorithm: 'oidc' | 'oauth2', signal: AbortSignal): Promise<AuthorizationServer> {
  const response = await discoveryRequest(url, { algorithm, ...requestOptions(url.href, signal) });
  return processDiscoveryResponse(url, response);
}

/** HTTPS only, except for an authority on this machine. */
export function requestOptions(url: string | undefined, signal: AbortSignal) {
  return {
    signal,
    [customFetch]: authorityFetch,
    [allowInsecureRequests]: url !== undefined && isLoopbackHost(new URL(url)),
  };
}

/** A sign-in is of no use without a refresh token: it would end within the hour. */
export function withRefreshToken(tokens: OAuthTokens, host: string): OAuthTokens {
  if (tokens.refreshToken !== undefined) return tokens;
  throw new MailError(
    'rejected',
    `${host} gave no refresh token, so the sign-in would not last. Request its scope for offline access.`,
  );
}
