import type { LoginHost, LogoutEnd } from '../connector.ts';
import { createAuthState } from './auth-state.ts';
import { loadLibrary } from './library.ts';
import { forgetLink, readLink } from './link.ts';
import { openSealedEntries } from './sealed-entries.ts';
import type { WhatsappSettings } from './settings.ts';
import { closeSocket, openSocket } from './socket.ts';

const NOT_REVOKED = 'WhatsApp could not be reached. Remove the device Switchboard on the phone, in Linked devices.';

/** Removes this device from the account. The key of the stored state is deleted in any case. */
export async function logout(settings: WhatsappSettings, host: LoginHost): Promise<LogoutEnd> {
  try {
    await unlink(settings, host);
    return { kind: 'done' };
  } catch (cause) {
    return { kind: 'not-revoked', reason: NOT_REVOKED, cause };
  } finally {
    await forgetLink(host);
  }
}

async function unlink(settings: WhatsappSettings, host: LoginHost): Promise<void> {
  const library = await loadLibrary();
  const link = await readLink(library, host);
  if (!link) return;
  const entries = await openSealedEntries({ memory: host.memory, key: link.key, onFailure: () => {} });
  const { state } = createAuthState(library, entries, link.creds);
  const sock = openSocket(library, settings, host.log, { auth: state, fireInitQueries: false });
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (connection === 'open') resolve();
    if (connection === 'close') reject(lastDisconnect?.error);
  });
  host.signal.addEventListener('abort', () => reject(host.signal.reason), { once: true });
  try {
    await opened;
    await sock.query({
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'md' },
      content: [{ tag: 'remove-companion-device', attrs: { jid: state.creds.me?.id ?? '', reason: 'user_initiated' } }],
    });
  } finally {
    await closeSocket(sock);
  }
}
