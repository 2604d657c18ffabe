import { AppError } from '../../domain/errors.ts';
import type { LiveSession } from '../sync/account-connection.ts';

/** The sessions of connected accounts, which operations use too. */
export interface LiveSessions {
  /** Returns how to remove it; that does nothing once the account has another one. */
  add(account: string, session: LiveSession): () => void;
  /** Waits a while for an account that is being connected. Throws SERVICE_UNAVAILABLE. */
  of(account: string, signal: AbortSignal): Promise<LiveSession>;
}

const CONNECTING_MS = 10_000;
/** How often the state is asked for meanwhile. */
const CHECK_MS = 250;

/** `stateOf` tells why an account is not connected, in our own text, and whether it may be soon. */
export function createLiveSessions(
  stateOf: (account: string) => Promise<{ isConnecting: boolean; problem?: string | undefined }>,
): LiveSessions {
  const sessions = new Map<string, LiveSession>();
  const changes = new Set<() => void>();

  async function nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    changes.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    changes.delete(resolve);
  }

  return {
    add(account, session) {
      const changed = () => {
        for (const tell of changes) tell();
      };
      sessions.set(account, session);
      changed();
      return () => {
        if (sessions.get(account) === session) sessions.delete(account);
        changed();
      };
    },
    async of(account, signal) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(CONNECTING_MS)]);
      for (;;) {
        const session = sessions.get(account);
        if (session) return session;
        const { isConnecting, problem } = await stateOf(account);
        if (!isConnecting || patience.aborted) throw notConnected(account, problem);
        await nextChange(AbortSignal.any([patience, AbortSignal.timeout(CHECK_MS)]));
      }
    },
  };
}

function notConnected(account: string, problem: string | undefined): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `The account '${account}' is not connected to its server.`, {
    field: 'account',
    hint: problem ?? 'It is connected while Switchboard runs; `switchboard doctor` tells what is wrong.',
  });
}
