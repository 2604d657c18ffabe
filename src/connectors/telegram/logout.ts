import { MemoryStorage } from '@mtcute/core';
import type { LoginHost, LogoutEnd } from '../connector.ts';
import { connect, createClient, type TelegramClient } from './client.ts';
import { codeOf } from './failures.ts';
import { forgetPending } from './pending-code.ts';
import { forgetSession, storedSession, useSession } from './session.ts';
import type { TelegramSettings } from './settings.ts';

const NOT_ASKED = 'Telegram could not be asked to end the session: end it in an app of Telegram, in Settings, Devices.';

/** Ends the session that `login` has made. One of the settings is not ours to end. */
export async function logout(settings: TelegramSettings, host: LoginHost): Promise<LogoutEnd> {
  if (settings.session !== undefined) return { kind: 'done' };
  try {
    const session = await storedSession(settings, host);
    if (session?.self) await revoke(settings, session, host);
    return { kind: 'done' };
  } catch (cause) {
    return { kind: 'not-revoked', reason: NOT_ASKED, cause };
  } finally {
    await Promise.all([forgetSession(host), forgetPending(host)]);
  }
}

async function revoke(
  settings: TelegramSettings,
  session: Parameters<typeof useSession>[1],
  { log, signal }: LoginHost,
): Promise<void> {
  let client: TelegramClient | undefined;
  try {
    client = await createClient({ settings, storage: new MemoryStorage(), log, signal });
    await useSession(client, session);
    await connect(client);
    await client.call({ _: 'auth.logOut' });
  } catch (error) {
    // It was ended before.
    if (!/^(?:AUTH_KEY_UNREGISTERED|SESSION_REVOKED|SESSION_EXPIRED)$/.test(codeOf(error))) throw error;
  } finally {
    await client?.close();
  }
}
