import { connectionFailureIn } from '../connection-failure.ts';
import type { Login, LoginHost, LogoutEnd } from '../connector.ts';
import { createHttpClient } from '../http-client.ts';
import { OutcomeError } from '../outcome-error.ts';
import { createBeeperClient, Unreachable } from './client.ts';
import type { BeeperSettings } from './settings.ts';

/** Name of the token in the secrets store. */
export const TOKEN = 'token';

/** Asks for the access token, if the settings have none, and keeps it once Beeper has accepted it. */
export async function* login(settings: BeeperSettings, { secrets, signal }: LoginHost): Login {
  const { url, access_token: configured } = settings;
  const known = configured ?? (await secrets.get(TOKEN));
  if (known !== undefined) return { kind: 'done' };
  const answer = yield {
    kind: 'ask',
    field: 'access_token',
    label: 'Access token, from Settings → Developers in Beeper Desktop',
    secret: true,
  };
  const token = answer.trim();
  const http = createHttpClient();
  try {
    await createBeeperClient({ url, token }, http).ask({ path: ['accounts'], signal });
    await secrets.set(TOKEN, token);
    return { kind: 'done' };
  } catch (cause) {
    return { kind: 'failed', reason: reasonOf(cause), cause };
  } finally {
    http.close();
  }
}

/** Beeper has no request to revoke a token. */
export async function logout(_settings: BeeperSettings, { secrets }: LoginHost): Promise<LogoutEnd> {
  if ((await secrets.get(TOKEN)) === undefined) return { kind: 'done' };
  await secrets.delete(TOKEN);
  return { kind: 'not-revoked', reason: 'Revoke the access token in Beeper Desktop, in Settings → Developers.' };
}

function reasonOf(cause: unknown): string {
  if (cause instanceof OutcomeError) return cause.outcome.reason;
  if (cause instanceof Unreachable) return cause.message;
  return connectionFailureIn(cause)?.reason ?? 'Beeper Desktop cannot be reached.';
}
