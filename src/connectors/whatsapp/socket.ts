import type { AuthenticationState, SocketConfig, WASocket } from 'baileys';
import type { Log } from '../../lib/log.ts';
import type { Library } from './library.ts';
import type { WhatsappSettings } from './settings.ts';

type Options = Partial<SocketConfig> & { auth: AuthenticationState };

/** Opens a socket to WhatsApp, which connects by itself. */
export function openSocket(library: Library, settings: WhatsappSettings, log: Log, options: Options): WASocket {
  if (settings.root_key !== undefined) {
    library.WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(settings.root_key, 'hex');
  }
  return library.makeWASocket({
    // The phone shows the first two in its list of linked devices.
    browser: ['Switchboard', 'Desktop', '1.0'],
    logger: libraryLog(log),
    markOnlineOnConnect: false,
    emitOwnEvents: false,
    generateHighQualityLinkPreview: false,
    syncFullHistory: true,
    // Without it the library never asks for history.
    shouldSyncHistoryMessage: () => true,
    shouldIgnoreJid: (jid) => jid === 'status@broadcast',
    ...(settings.endpoint === undefined ? {} : { waWebSocketUrl: settings.endpoint }),
    ...options,
  });
}

/** The library logs whole messages and keys, so only its own words are kept. */
export function libraryLog(log: Log): SocketConfig['logger'] {
  const quiet = () => {};
  const report = (fields: unknown, text?: string) =>
    log.debug({ library: 'baileys' }, text ?? (typeof fields === 'string' ? fields : 'an error'));
  return {
    level: 'silent',
    child: () => libraryLog(log),
    trace: quiet,
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: report,
  };
}

/** Closes the socket, if need be without waiting for the other side. */
export async function closeSocket(sock: WASocket): Promise<void> {
  const closed = sock.end(undefined);
  const { socket } = sock.ws as unknown as { socket?: { terminate(): void } };
  const late = setTimeout(() => socket?.terminate(), 500);
  await closed.catch(() => {});
  clearTimeout(late);
  // The library leaves its questions to the server open, each with a timer.
  sock.ws.emit('error', new Error('the connection is closed'));
}
