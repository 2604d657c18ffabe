import type { Connection, Host, Rejected } from '../../connectors/connector.ts';
import { MailError, type MailSession } from '../../connectors/mail-connector.ts';
import type { MailStore } from '../ports.ts';
import type { BulkRequest, FolderGap } from './bulk-job.ts';
import { createSyncPasses, type SyncPasses, type SyncReport } from './sync-passes.ts';

export interface AccountConnectionParts {
  account: string;
  mail: MailStore;
  ownAddresses: readonly string[];
  connect(signal: AbortSignal): Promise<MailSession>;
  /** Runs a bulk job in threads of its own. */
  fetchMany(request: BulkRequest, how: BulkHow): Promise<void>;
  /** Folders other than the inbox are looked at this often. */
  pollMs: number;
  /** Emails received before this timestamp stay on the server. */
  since?: number;
  /** The session that operations use; undefined when it is over. */
  onSession(session: LiveSession | undefined): void;
}

export interface BulkHow {
  signal: AbortSignal;
  progress(done: number, total: number): void;
}

export interface LiveSession {
  session: MailSession;
  /** Looks at all folders now; resolves when what is new is stored. */
  syncNow(): Promise<SyncReport>;
  /** Resolves when all older emails are stored too. */
  backfilled(): Promise<void>;
  /** How many older emails were fetched, while they are. */
  progress(): { done: number; total: number } | undefined;
}

/** Keeps an account up to date: first what is missing, then what the server reports, and meanwhile older emails. */
export function createAccountConnection(parts: AccountConnectionParts, host: Host): Connection {
  let fetching: { done: number; total: number } | undefined;

  async function run(signal: AbortSignal): Promise<Rejected | undefined> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const session = await connectUnlessRejected(ending);
    if ('reason' in session) return session;
    let backfill: Promise<void> | undefined;

    async function fetchGaps(gaps: readonly FolderGap[]): Promise<void> {
      if (gaps.length === 0) return;
      const { account, ownAddresses, since } = parts;
      const request = { account, ownAddresses, gaps, ...(since === undefined ? {} : { since }) };
      const progress = (done: number, total: number) => {
        fetching = { done, total };
      };
      await parts.fetchMany(request, { signal: ending, progress });
      fetching = undefined;
    }

    /** New emails at once; older ones in the background. */
    async function fill(gaps: readonly FolderGap[]): Promise<void> {
      const { older = [], newer = [] } = Object.groupBy(gaps, ({ direction }) => direction);
      await fetchGaps(newer);
      if (backfill !== undefined || older.length === 0) return;
      backfill = endingAll(over, fetchGaps(older)).then(() => {
        backfill = undefined;
      });
      backfill.catch(() => {});
    }

    async function follow(passes: SyncPasses): Promise<void> {
      await fill(await passes.all('newer'));
      parts.onSession({
        session: session as MailSession,
        syncNow: passes.now,
        backfilled: async () => backfill,
        progress: () => fetching,
      });
      while (!ending.aborted) {
        const polling = AbortSignal.any([ending, AbortSignal.timeout(parts.pollMs)]);
        const outcome = await (session as MailSession).watch('INBOX', polling);
        if (ending.aborted) return;
        await fill(outcome === 'changed' ? await passes.inbox() : await passes.all('newer'));
      }
    }

    try {
      host.connected();
      const passes = createSyncPasses({ ...parts, session, log: host.log });
      await Promise.all([endingAll(over, endOf(session)), endingAll(over, follow(passes))]);
      return undefined;
    } catch (error) {
      throw over.signal.reason ?? error;
    } finally {
      parts.onSession(undefined);
      over.abort();
      await Promise.allSettled([backfill, session.close()]);
      fetching = undefined;
    }
  }

  async function connectUnlessRejected(signal: AbortSignal): Promise<MailSession | Rejected> {
    try {
      return await parts.connect(signal);
    } catch (error) {
      if (!(error instanceof MailError) || error.kind !== 'rejected') throw error;
      return { kind: 'rejected', reason: error.message, cause: error.cause };
    }
  }

  return { run, progress: () => fetching };
}

/** Resolves when the session was closed by us. */
async function endOf(session: MailSession): Promise<void> {
  const reason = await session.closed;
  throw reason ?? new Error('the session is over');
}

/** A failure of one task ends all tasks of the connection. */
async function endingAll(over: AbortController, task: Promise<void>): Promise<void> {
  try {
    await task;
  } catch (error) {
    over.abort(error);
    throw error;
  }
}
