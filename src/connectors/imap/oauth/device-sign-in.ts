import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeviceAuthorizationResponse,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
} from 'oauth4webapi';
import { isSecureUrl } from '../../../lib/secure-url.ts';
import { MailError, type MailOAuth, type OAuthClient, type OAuthTokens } from '../../mail-connector.ts';
import { type Authority, openAuthority, requestOptions, withRefreshToken } from './authority.ts';
import { codeOf, toMailError } from './oauth-errors.ts';
import { toTokens } from './token-response.ts';

const DEFAULT_INTERVAL_S = 5;
/** What `slow_down` adds, by RFC 8628. */
const SLOWER_S = 5;
const MAX_INTERVAL_S = 60;
/** An authority may give codes that last longer, but no person needs them. */
const MAX_LIFETIME_S = 30 * 60;
const CODE = /^[\p{L}\p{N} _-]{1,64}$/u;

type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>;
const realWait: Wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false });

export async function signInByDevice(
  given: OAuthClient,
  { signal }: Parameters<MailOAuth['signInByDevice']>[1],
  wait: Wait = realWait,
): ReturnType<MailOAuth['signInByDevice']> {
  const authority = await openAuthority(given, signal);
  const { host, server } = authority;
  if (server.device_authorization_endpoint === undefined) {
    throw new MailError('rejected', `${host} does not support signing in with a code. Sign in with a browser.`);
  }
  const begun = await begin(authority, given.scopes, signal);
  const { verification_uri: url, user_code: code } = begun;
  // Both are shown to the user.
  if (!isSecureUrl(url) || !CODE.test(code)) throw new MailError('rejected', `${host} gave no usable page or code.`);
  const expiresAt = Date.now() + Math.min(begun.expires_in, MAX_LIFETIME_S) * 1_000;
  const tokens = poll(authority, begun, { expiresAt, signal, wait });
  // The caller may never wait for it.
  tokens.catch(() => {});
  return { url: new URL(url).href, code, expiresAt, tokens };
}

async function begin(
  { server, client, auth, host }: Authority,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<DeviceAuthorizationResponse> {
  try {
    const options = requestOptions(server.device_authorization_endpoint, signal);
    const parameters = scopes.length === 0 ? {} : { scope: scopes.join(' ') };
    const response = await deviceAuthorizationRequest(server, client, auth, parameters, options);
    return await processDeviceAuthorizationResponse(server, client, response);
  } catch (error) {
    throw toMailError(error, host);
  }
}

/** Until the user has typed the code, or it has expired. */
async function poll(
  authority: Authority,
  { device_code: code, interval = DEFAULT_INTERVAL_S }: DeviceAuthorizationResponse,
  { expiresAt, signal, wait }: { expiresAt: number; signal: AbortSignal; wait: Wait },
): Promise<OAuthTokens> {
  let seconds = Math.min(interval, MAX_INTERVAL_S);
  while (Date.now() < expiresAt) {
    await wait(seconds * 1_000, signal).catch((error: unknown) => {
      throw new MailError('rejected', 'The sign-in was cancelled.', error);
    });
    const answer = await ask(authority, code, signal);
    if (typeof answer !== 'string') return withRefreshToken(answer, authority.host);
    if (answer === 'slower') seconds = Math.min(seconds + SLOWER_S, MAX_INTERVAL_S);
  }
  throw new MailError('rejected', 'The code was not typed in time. Sign in again for a new one.');
}

async function ask(
  { server, client, auth, host }: Authority,
  code: string,
  signal: AbortSignal,
): Promise<OAuthTokens | 'pending' | 'slower'> {
  try {
    const options = requestOptions(server.token_endpoint, signal);
    const response = await deviceCodeGrantRequest(server, client, auth, code, options);
    return toTokens(await processDeviceCodeResponse(server, client, response));
  } catch (error) {
    const reason = codeOf(error);
    if (reason === 'authorization_pending') return 'pending';
    if (reason === 'slow_down') return 'slower';
    const failure = toMailError(error, host);
    // The next poll may succeed; it comes later, as RFC 8628 asks for.
    if (failure.kind === 'lost' && !signal.aborted) return 'slower';
    throw failure;
  }
}
