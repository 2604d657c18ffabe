import type { Host } from '../connector.ts';
import { type OutcomeError, rejected } from '../outcome-error.ts';
import { type Client, HomeserverError } from './client.ts';
import { readLogin, readWhoAmI } from './schema.ts';
import type { MatrixSettings } from './settings.ts';

type Credentials = Pick<MatrixSettings, 'user' | 'password' | 'access_token'>;

/** Our user, and the token to speak as them. It is kept in memory alone. */
export interface Session {
  user: string;
  token: string;
}

const DEVICE = 'device_id';

export async function signIn(
  ask: Client,
  { user, password, access_token: token }: Credentials,
  host: Host,
  signal: AbortSignal,
): Promise<Session> {
  if (!token && !(user && password)) {
    throw rejected('The source needs an access token, or a user and a password.');
  }
  try {
    if (token) return { user: await whoAmI(ask, token, signal), token };
    return await login(ask, { user: user ?? '', password: password ?? '' }, host, signal);
  } catch (error) {
    if (token && isSignedOut(error)) throw refusedToken(error);
    throw refusal(error) ?? error;
  }
}

/** Whether the token is not good, or not good any more. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof HomeserverError && error.status === 401;
}

/** A token from the settings cannot be had anew. */
export function refusedToken(cause: unknown): OutcomeError {
  return rejected('The homeserver does not accept the access token.', { cause });
}

async function whoAmI(ask: Client, token: string, signal: AbortSignal): Promise<string> {
  return readWhoAmI(await ask({ path: ['account', 'whoami'], token, signal })).user_id;
}

/**
 * The same device every time, so that the user's list of devices does not grow; the homeserver then forgets its former
 * token. The device also makes what was sent twice one message, so that it is not given up at the end.
 */
async function login(
  ask: Client,
  { user, password }: { user: string; password: string },
  { memory }: Host,
  signal: AbortSignal,
): Promise<Session> {
  const key = `${DEVICE} ${user}`;
  const device = await memory.get(key);
  const answer = await ask({
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
  });
  const session = readLogin(answer);
  if (session.device_id !== device) await memory.set(key, session.device_id);
  return { user: session.user_id, token: session.access_token };
}

/** Where asking again would give the same answer. */
function refusal(error: unknown): OutcomeError | undefined {
  if (!(error instanceof HomeserverError)) return undefined;
  const { status } = error;
  if ([400, 401, 403].includes(status)) return rejected('The homeserver refuses to let the user in.', { cause: error });
  if (status === 404) return rejected('There is no Matrix homeserver at this address.', { cause: error });
  if (status < 400) return rejected('The address of the homeserver leads elsewhere.', { cause: error });
  return undefined;
}
