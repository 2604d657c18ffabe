import { readStringSession, type StringSessionData } from '@mtcute/core/utils.js';
import type { Host } from '../connector.ts';
import { rejected } from '../outcome-error.ts';
import type { TelegramClient } from './client.ts';
import type { TelegramSettings } from './settings.ts';

/** The name of the secret that has the session: the key of the account, and the data center that it is for. */
const SESSION = 'session';

/** The session of the settings, or of an earlier sign-in; undefined if there is none. */
export async function storedSession(
  { session }: Pick<TelegramSettings, 'session'>,
  { secrets }: Pick<Host, 'secrets'>,
): Promise<StringSessionData | undefined> {
  const text = session ?? (await secrets.get(SESSION));
  if (!text) return undefined;
  try {
    return readStringSession(text);
  } catch (cause) {
    throw rejected('The session is not a session string of mtcute.', { cause });
  }
}

/** Uses the session. With an own server in the settings, its address is that of the settings. */
export async function useSession({ api }: TelegramClient, session: StringSessionData): Promise<void> {
  const { defaultDcs } = api.params;
  await api.importSession({ ...session, ...(defaultDcs ? { primaryDcs: defaultDcs } : {}) }, true);
}

export async function storeSession({ api }: TelegramClient, { secrets }: Pick<Host, 'secrets'>): Promise<void> {
  await secrets.set(SESSION, await api.exportSession());
}

export async function forgetSession({ secrets }: Pick<Host, 'secrets'>): Promise<void> {
  await secrets.delete(SESSION);
}
