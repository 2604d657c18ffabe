import {
  AuthorizationResponseError,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  None,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { AppError } from '../../domain/errors.ts';
import { scopesIn } from './challenge.ts';
import type { RegisteredClient } from './login-store.ts';
import type { OAuthRequests } from './requests.ts';

/** An authorization server, and us as its client. */
export interface Grantor {
  authority: AuthorizationServer;
  client: Client;
  auth: ClientAuth;
  resource: string;
  requests: OAuthRequests;
  signal: AbortSignal;
}

export interface Tokens {
  accessToken: string;
  refreshToken?: string;
  /** Milliseconds. */
  lifetime?: number;
  scopes?: readonly string[];
}

/** Tokens are put into headers and into the secrets store. */
const TOKEN = /^[\x21-\x7e]{1,60000}$/;

export function clientOf(
  authority: AuthorizationServer,
  { clientId, clientSecret, method }: Pick<RegisteredClient, 'clientId' | 'clientSecret' | 'method'>,
): Pick<Grantor, 'client' | 'auth'> {
  const methods = method === undefined ? authority.token_endpoint_auth_methods_supported : [method];
  const isPosted = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic');
  const withSecret = isPosted ? ClientSecretPost : clientSecretBasic;
  return { client: { client_id: clientId }, auth: clientSecret === undefined ? None() : withSecret(clientSecret) };
}

/** The library's own encodes dashes and dots too, which not every authorization server decodes. */
function clientSecretBasic(secret: string): ClientAuth {
  return (_, client, __, headers) => {
    const credentials = [client.client_id, secret].map(formEncoded).join(':');
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** `answer` is what the browser was sent back with. */
export async function exchangeCode(
  { authority, client, auth, resource, requests, signal }: Grantor,
  answer: URLSearchParams,
  { state, verifier, redirectUri }: { state: string; verifier: string; redirectUri: string },
): Promise<Tokens> {
  const checked = checkedAnswer(authority, client, answer, state);
  const response = await authorizationCodeGrantRequest(authority, client, auth, checked, redirectUri, verifier, {
    ...requests.options(signal),
    additionalParameters: { resource },
  });
  return toTokens(await processAuthorizationCodeResponse(authority, client, response));
}

/** Its state, and that it is from this authorization server and not from another one (RFC 9207). */
function checkedAnswer(authority: AuthorizationServer, client: Client, answer: URLSearchParams, state: string) {
  try {
    return validateAuthResponse(authority, client, answer, state);
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw error;
    const { host } = new URL(authority.issuer);
    throw new AppError('UNAUTHENTICATED', `The answer in the browser is not from ${host}. The login was ended.`);
  }
}

export async function refreshTokens(
  { authority, client, auth, resource, requests, signal }: Grantor,
  refreshToken: string,
): Promise<Tokens> {
  const response = await refreshTokenGrantRequest(authority, client, auth, refreshToken, {
    ...requests.options(signal),
    additionalParameters: { resource },
  });
  return toTokens(await processRefreshTokenResponse(authority, client, response));
}

export async function revokeToken(
  { authority, client, auth, requests, signal }: Grantor,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<void> {
  const response = await revocationRequest(authority, client, auth, token, {
    ...requests.options(signal),
    additionalParameters: { token_type_hint: hint },
  });
  await processRevocationResponse(response);
}

export function toTokens(response: TokenEndpointResponse): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = response;
  if (response.token_type !== 'bearer') throw new Error('the token is not a bearer token');
  if (![accessToken, refreshToken ?? accessToken].every((token) => TOKEN.test(token))) {
    throw new Error('a token has characters that no token may have, or too many');
  }
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(seconds === undefined ? {} : { lifetime: Math.min(seconds * 1_000, Number.MAX_SAFE_INTEGER / 2) }),
    ...(scope === undefined || scope === '' ? {} : { scopes: scopesIn(scope) }),
  };
}
