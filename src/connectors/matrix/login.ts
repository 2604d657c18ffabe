import type { Login, LoginHost } from '../connector.ts';
import { OutcomeError } from '../outcome-error.ts';
import { createClient } from './client.ts';
import { resumeSession, signInByPassword } from './session.ts';
import type { MatrixSettings } from './settings.ts';

/** Prompts for what the settings lack, and stores the access token that the homeserver issues. */
export async function* login(settings: MatrixSettings, host: LoginHost): Login {
  const { signal } = host;
  const ask = createClient(settings.homeserver);
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
    const reason = cause instanceof OutcomeError ? cause.outcome.reason : 'The homeserver cannot be reached.';
    return { kind: 'failed', reason, cause };
  }
}
