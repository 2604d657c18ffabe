import { AppError } from '../../domain/errors.ts';
import type { Host } from '../connector.ts';
import { type OutcomeError, rejected } from '../outcome-error.ts';
import { HomeserverError, type MatrixClient } from './client.ts';
import { NotMatrix, readLogin, readStoredSession, readWhoAmI } from './schema.ts';
import type { MatrixSettings } from './settings.ts';

/** Our user id and access token. */
export interface MatrixSession {
  user: string;
  token: string;
}

type Kept = Pick<Host, 'memory' | 'secrets' | 'log'>;

const DEVICE = 'device_id';
/** The name of the secret that has the session of an earlier sign-in. */
const SESSION = 'session';

export async function signIn(
  ask: MatrixClient,
  settings: MatrixSettings,
  host: Kept,
  signal: AbortSignal,
): Promise<MatrixSession> {
  const { homeserver, user, password, access_token: token } = settings;
  if (token) return ofToken(ask, token, signal);
  const resumed = await resumeSession(ask, settings, host, signal);
  if (resumed) return resumed;
  if (user && password) return signInByPassword(ask, { homeserver, user, password }, host, signal);
  throw rejected('The source needs an access token, or a user and a password: `switchboard chat login` asks for them.');
}

async function ofToken(ask: MatrixClient, token: string, signal: AbortSignal): Promise<MatrixSession> {
  try {
    return { user: await whoAmI(ask, token, signal), token };
  } catch (error) {
    if (isSignedOut(error)) throw refusedToken(error);
    throw refusal(error) ?? error;
  }
}

/** The stored session of an earlier sign-in, if it belongs to this account and is still valid. */
export async function resumeSession(
  ask: MatrixClient,
  { homeserver, user }: Pick<MatrixSettings, 'homeserver' | 'user'>,
  { secrets }: Kept,
  signal: AbortSignal,
): Promise<MatrixSession | undefined> {
  const stored = readStoredSession(await secrets.get(SESSION));
  if (stored?.homeserver !== homeserver || (user !== undefined && !isSameUser(stored.user, user))) return undefined;
  try {
    await whoAmI(ask, stored.token, signal);
    return { user: stored.user, token: stored.token };
  } catch (error) {
    if (!isSignedOut(error)) throw refusal(error) ?? error;
    await secrets.delete(SESSION);
    return undefined;
  }
}

/** Deletes a session that the homeserver has ended. */
export async function forgetSession({ secrets }: Pick<Host, 'secrets'>): Promise<void> {
  await secrets.delete(SESSION);
}

/** Settings may contain only the local part of the user id. */
function isSameUser(id: string, named: string): boolean {
  return id === named || id.startsWith(`@${named}:`);
}

/** Whether the token is invalid or expired. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof HomeserverError && error.isOwn && error.status === 401;
}

/** A token from the settings cannot be renewed. */
export function refusedToken(cause: unknown): OutcomeError {
  return rejected('The homeserver does not accept the access token.', { cause });
}

async function whoAmI(ask: MatrixClient, token: string, signal: AbortSignal): Promise<string> {
  return readWhoAmI(await ask({ path: ['account', 'whoami'], token, signal })).user_id;
}

/**
 * Always the same device, so that the user's list of devices does not grow; the homeserver then invalidates the
 * previous token. Transactions are per device, so the device is not logged out at the end.
 */
export async function signInByPassword(
  ask: MatrixClient,
  { homeserver, user, password }: { homeserver: string; user: string; password: string },
  { memory, secrets, log }: Kept,
  signal: AbortSignal,
): Promise<MatrixSession> {
  const key = `${DEVICE} ${user}`;
  const device = await memory.get(key);
  const signedIn = ask({
    method: 'POST',
    path: ['login'],
    body: {
      type: 'm.login.password',
      identifier: { type: 'm.id.user', user },
      password,
      initial_device_display_name: 'Switchboard',
      ...(device === undefined ? {} : { device_id: device }),
    },
    signal,
  }).then(readLogin);
  const {
    user_id: id,
    access_token: token,
    device_id: given,
  } = await signedIn.catch((error: unknown) => {
    throw refusal(error) ?? error;
  });
  if (given !== device) await memory.set(key, given);
  await secrets
    .set(SESSION, JSON.stringify({ homeserver, user: id, token }))
    .catch((err: unknown) => log.warn({ err }, 'the session could not be stored; the next start signs in again'));
  return { user: id, token };
}

/** What a failure to sign in means, in our own text. */
function refusal(error: unknown): OutcomeError | AppError | undefined {
  if (error instanceof NotMatrix) return rejected(NO_HOMESERVER, { cause: error });
  if (!(error instanceof HomeserverError)) return undefined;
  const { status, isOwn } = error;
  if (status < 400) return rejected('The address of the homeserver leads elsewhere.', { cause: error });
  if (status === 404 || (!isOwn && NOT_SERVED.has(status))) return rejected(NO_HOMESERVER, { cause: error });
  if ([400, 401, 403].includes(status)) return rejected('The homeserver refuses to let the user in.', { cause: error });
  return serverFailure(error);
}

/** The homeserver, or a proxy in front of it, does not work at the moment. */
export function serverFailure(error: unknown): AppError | undefined {
  if (!(error instanceof HomeserverError) || error.status < 500) return undefined;
  const says = `The homeserver, or a proxy in front of it, answers with status ${error.status}.`;
  return new AppError('NETWORK_ERROR', says, { cause: error });
}

const NO_HOMESERVER = 'There is no Matrix homeserver at this address.';
/** With these, other servers refuse what only a homeserver knows; TLS servers refuse plain HTTP with 400. */
const NOT_SERVED: ReadonlySet<number> = new Set([400, 401, 403, 405, 406, 410, 411, 415, 421, 501, 505]);
