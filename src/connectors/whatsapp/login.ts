import type { ConnectionState, SignalKeyStore } from 'baileys';
import { connectionFailureIn, NO_SETTINGS } from '../connection-failure.ts';
import type { Login, LoginHost } from '../connector.ts';
import { OutcomeError } from '../outcome-error.ts';
import { type Library, loadLibrary } from './library.ts';
import { readLink, saveLink } from './link.ts';
import { statusOf } from './outgoing.ts';
import type { WhatsappSettings } from './settings.ts';
import { closeSocket, openSocket } from './socket.ts';

/** How long the library shows each code. */
const FIRST_CODE_MS = 60_000;
const CODE_MS = 20_000;
const RESTART_REQUIRED = 515;
const NOT_SCANNED = 'The code was not used in time. Run the command again.';
const FAILED = 'WhatsApp did not link the account. Try again later.';

/** Links Switchboard as a device of the account, by a QR code or by a code that is typed on the phone. */
export async function* login(settings: WhatsappSettings, host: LoginHost): Login {
  try {
    const library = await loadLibrary();
    if (await readLink(library, host)) return { kind: 'done' };
    return yield* linkDevice(library, settings, host);
  } catch (cause) {
    return { kind: 'failed', reason: cause instanceof OutcomeError ? cause.outcome.reason : FAILED, cause };
  }
}

async function* linkDevice(library: Library, settings: WhatsappSettings, host: LoginHost): Login {
  const creds = library.initAuthCreds();
  const sock = openSocket(library, settings, host.log, { auth: { creds, keys: memoryKeys() } });
  const updates = updatesOf(sock, host.signal);
  let [isPaired, wasShown] = [false, false];
  let codeMs = FIRST_CODE_MS;
  try {
    for await (const { qr, isNewLogin, connection, lastDisconnect } of updates) {
      if (isNewLogin) isPaired = true;
      if (qr !== undefined && settings.phone === undefined) {
        yield { kind: 'show-qr', data: qr, expiresAt: host.clock.now() + codeMs };
        [codeMs, wasShown] = [CODE_MS, true];
      } else if (qr !== undefined && !wasShown) {
        wasShown = true;
        const code = await sock.requestPairingCode((settings.phone ?? '').replace(/^\+/, ''));
        yield { kind: 'ask', field: 'done', label: codeLabel(code), secret: false };
      }
      if (connection !== 'close') continue;
      // The server ends the connection when the device is linked.
      const cause = lastDisconnect?.error;
      if (!isPaired || statusOf(cause) !== RESTART_REQUIRED) {
        return { kind: 'failed', reason: wasShown && !isPaired ? NOT_SCANNED : reasonOf(cause), cause };
      }
      await saveLink(library, host, creds);
      return { kind: 'done' };
    }
    return { kind: 'failed', reason: 'The sign-in was cancelled.' };
  } finally {
    await closeSocket(sock);
  }
}

function reasonOf(cause: unknown): string {
  const { data } = (cause ?? {}) as { data?: unknown };
  return connectionFailureIn(data, NO_SETTINGS)?.reason ?? FAILED;
}

function codeLabel(code: string): string {
  const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
  return `On the phone: WhatsApp, Linked devices, Link a device, Link with phone number instead. Enter ${shown} there, then press Enter here`;
}

/** The updates of a connection, one after the other. Ends when the user cancels. */
async function* updatesOf(
  sock: ReturnType<typeof openSocket>,
  signal: AbortSignal,
): AsyncGenerator<Partial<ConnectionState>> {
  const waiting: Partial<ConnectionState>[] = [];
  let wake = Promise.withResolvers<void>();
  const tell = () => wake.resolve();
  sock.ev.on('connection.update', (update) => {
    waiting.push(update);
    tell();
  });
  signal.addEventListener('abort', tell, { once: true });
  while (!signal.aborted) {
    for (let next = waiting.shift(); next; next = waiting.shift()) yield next;
    await wake.promise;
    wake = Promise.withResolvers();
  }
}

/** Keys that are needed only until the device is linked. */
function memoryKeys(): SignalKeyStore {
  const values = new Map<string, unknown>();
  return {
    get: (type, ids) =>
      Object.fromEntries(
        ids.flatMap((id) => (values.has(`${type}:${id}`) ? [[id, values.get(`${type}:${id}`)]] : [])),
      ) as never,
    set(data) {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries ?? {})) values.set(`${type}:${id}`, value);
      }
    },
  };
}
