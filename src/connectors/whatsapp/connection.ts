import { NO_SETTINGS } from '../connection-failure.ts';
import type { Connection, Host, Outgoing } from '../connector.ts';
import { rejectionOf } from '../outcome-error.ts';
import { createAuthState } from './auth-state.ts';
import { endingOf, notLinked, unlinked } from './ending.ts';
import { chatIdIn } from './jids.ts';
import { type Library, loadLibrary } from './library.ts';
import { forgetLink, readLink } from './link.ts';
import { download } from './media.ts';
import { openSealedEntries, type SealedEntries } from './sealed-entries.ts';
import { openSession, type Session } from './session.ts';
import type { WhatsappSettings } from './settings.ts';

export { login } from './login.ts';
export { logout } from './logout.ts';

/** Key of the newest version of the protocol that we know of. */
const VERSION = 'version';

const NOT_REACHED = 'WhatsApp is not reached at the moment.';

export function openConnection(settings: WhatsappSettings, host: Host): Connection {
  let session: Session | undefined;
  let library: Library | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    library = await loadLibrary();
    const link = await readLink(library, host);
    if (!link) throw notLinked(host.source);
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => {});
    const entries = await openSealedEntries({ memory: host.memory, key: link.key, onFailure: failure.reject });
    const auth = createAuthState(library, entries, link.creds);
    while (!signal.aborted) {
      const error = await connect(library, entries, auth, signal, failure.promise);
      if (signal.aborted) return;
      await goOn(library, error);
    }
  }

  async function connect(
    baileys: Library,
    entries: SealedEntries,
    auth: ReturnType<typeof createAuthState>,
    signal: AbortSignal,
    failure: Promise<never>,
  ): Promise<unknown> {
    const version = await readVersion(host);
    const current = openSession({ library: baileys, settings, entries, auth, host, version });
    session = current;
    const stop = () => void current.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([current.ended, failure]);
    } finally {
      signal.removeEventListener('abort', stop);
      session = undefined;
      await current.close();
      await entries.flush().catch(() => {});
    }
  }

  /** Throws unless the next connection can be made at once. */
  async function goOn(baileys: Library, error: unknown): Promise<void> {
    const ending = endingOf(error, host.source);
    if (ending.kind === 'again') return;
    if (ending.kind === 'outdated') await learnVersion(baileys, host);
    if (ending.kind === 'unlinked') {
      await forgetLink(host);
      throw unlinked(host.source, error);
    }
    throw ending.error;
  }

  return {
    run: (signal) => rejectionOf(run(signal), NO_SETTINGS),
    async send(outgoing) {
      return session?.send(outgoing) ?? { kind: 'not-sent', reason: NOT_REACHED, retry: true };
    },
    async wasSent(outgoing: Outgoing) {
      return session?.wasSent(outgoing) ?? { kind: 'unknown', reason: NOT_REACHED };
    },
    addressOf(text) {
      const id = chatIdIn(text);
      return session?.idOf(id) ?? id;
    },
    async download(attachment, request) {
      if (!library) throw new Error(NOT_REACHED);
      return download(library, settings, attachment, request);
    },
    progress: () => session?.progress(),
    problems: () => (session ? problemsOf(session) : []),
    hold: (isHeld) => session?.hold(isHeld),
  };
}

function problemsOf({ unreadable, missingHistory }: Session): string[] {
  const problems: string[] = [];
  const count = unreadable();
  if (count > 0) {
    const which = count === 1 ? 'A message' : `${count} messages`;
    problems.push(
      `${which} could not be decrypted. The sender was asked to send it again; the phone may show it already.`,
    );
  }
  if (missingHistory() > 0) problems.push('A part of the history could not be loaded from WhatsApp.');
  return problems;
}

async function readVersion({ memory }: Host): Promise<[number, number, number] | undefined> {
  const [first, second, third] = ((await memory.get(VERSION)) ?? '').split('.').map(Number);
  return first && second !== undefined && third !== undefined ? [first, second, third] : undefined;
}

/** WhatsApp refuses clients after some months; its own web page says which version is current. */
async function learnVersion(library: Library, { memory }: Host): Promise<void> {
  const { version, isLatest } = await library.fetchLatestWaWebVersion({});
  if (isLatest) await memory.set(VERSION, version.join('.'));
}
