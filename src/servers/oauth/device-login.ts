import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeviceAuthorizationResponse,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
} from 'oauth4webapi';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Dialog } from '../../lib/dialogs.ts';
import { type Grantor, type Tokens, toTokens } from './grants.ts';
import type { LoginStep } from './login.ts';
import { cancelled, codeOf, refusalOf, toOAuthFailure } from './oauth-failure.ts';

const DEFAULT_INTERVAL_S = 5;
/** What `slow_down` adds, by RFC 8628. */
const SLOWER_S = 5;
const MIN_INTERVAL_S = 1;
const MAX_INTERVAL_S = 60;
const MAX_LIFETIME_S = 30 * 60;
const CODE = /^[\p{L}\p{N} _-]{1,64}$/u;

/** RFC 8628. Undefined where the authorization server has no codes, or not for this client. */
export async function* loginByDevice(
  grantor: Grantor,
  scopes: readonly string[],
  { clock, isRequired }: { clock: Clock; isRequired: boolean },
): Dialog<LoginStep, Tokens | undefined> {
  const { authority, requests } = grantor;
  const { host } = new URL(authority.issuer);
  const begun = await begin(grantor, scopes).catch((error: unknown) => {
    if (isRequired || ['invalid_client', undefined].includes(refusalOf(error))) throw error;
    return undefined;
  });
  if (!begun && isRequired) throw new AppError('SERVICE_UNAVAILABLE', `${host} has no page for a login.`);
  if (!begun) return undefined;
  const { verification_uri: url, user_code: code } = begun;
  // Both are shown to the user.
  if (!requests.allows(url) || !CODE.test(code)) {
    throw new AppError('SERVICE_UNAVAILABLE', `${host} gave no usable page or code.`);
  }
  yield { kind: 'open', url: new URL(url).href, code };
  return poll(grantor, begun, clock);
}

async function begin(
  { authority, client, auth, resource, requests, signal }: Grantor,
  scopes: readonly string[],
): Promise<DeviceAuthorizationResponse | undefined> {
  if (authority.device_authorization_endpoint === undefined) return undefined;
  const parameters = { resource, ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) };
  const response = await deviceAuthorizationRequest(authority, client, auth, parameters, requests.options(signal));
  return processDeviceAuthorizationResponse(authority, client, response);
}

/** Until the user has typed the code, or it has expired. */
async function poll(grantor: Grantor, begun: DeviceAuthorizationResponse, clock: Clock): Promise<Tokens> {
  const expiresAt = clock.now() + Math.min(begun.expires_in, MAX_LIFETIME_S) * 1_000;
  let seconds = Math.min(Math.max(begun.interval ?? DEFAULT_INTERVAL_S, MIN_INTERVAL_S), MAX_INTERVAL_S);
  while (clock.now() < expiresAt) {
    await sleep(seconds * 1_000, undefined, { signal: grantor.signal, ref: false }).catch(() => {
      throw cancelled();
    });
    const answer = await ask(grantor, begun.device_code);
    if (typeof answer !== 'string') return answer;
    if (answer === 'slower') seconds = Math.min(seconds + SLOWER_S, MAX_INTERVAL_S);
  }
  throw new AppError('TIMEOUT', 'The code was not typed in time. Log in again for a new one.');
}

async function ask(
  { authority, client, auth, resource, requests, signal }: Grantor,
  code: string,
): Promise<Tokens | 'pending' | 'slower'> {
  try {
    const response = await deviceCodeGrantRequest(authority, client, auth, code, {
      ...requests.options(signal),
      additionalParameters: { resource },
    });
    return toTokens(await processDeviceCodeResponse(authority, client, response));
  } catch (error) {
    const reason = codeOf(error);
    if (reason === 'authorization_pending') return 'pending';
    // The next poll may succeed; it comes later, as RFC 8628 asks for.
    const isPassing = toOAuthFailure(error, '').code !== 'UNAUTHENTICATED';
    if (reason === 'slow_down' || (isPassing && !signal.aborted)) return 'slower';
    throw error;
  }
}
