import { AppError } from '../../domain/errors.ts';
import { connectionFailureIn } from '../connection-failure.ts';
import type { Login, LoginHost } from '../connector.ts';
import { createHttpClient } from '../http-client.ts';
import { OutcomeError } from '../outcome-error.ts';
import { createClient, SETTING_NAMES } from './client.ts';
import { resumeSession, signInByPassword } from './session.ts';
import type { MatrixSettings } from './settings.ts';

/** Prompts for what the settings lack, and stores the access token that the homeserver issues. */
export async function* login(settings: MatrixSettings, host: LoginHost): Login {
  const { signal } = host;
  const http = createHttpClient(settings);
  const ask = createClient(settings.homeserver, http);
  if (settings.access_token || (settings.user && settings.password)) return { kind: 'done' };
  try {
    if (await resumeSession(ask, settings, host, signal)) return { kind: 'done' };
    const user =
      settings.user ??
      (yield { kind: 'ask', field: 'user', label: 'Matrix user, such as @alice:example.org', secret: false });
    const password =
      settings.password ?? (yield { kind: 'ask', field: 'password', label: `Password of ${user}`, secret: true });
    await signInByPassword(ask, { homeserver: settings.homeserver, user: user.trim(), password }, host, signal);
    return { kind: 'done' };
  } catch (cause) {
    return { kind: 'failed', reason: reasonOf(cause), cause };
  } finally {
    http.close();
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof OutcomeError) return cause.outcome.reason;
  if (cause instanceof AppError) return cause.message;
  return connectionFailureIn(cause, SETTING_NAMES)?.reason ?? 'The homeserver cannot be reached.';
}
