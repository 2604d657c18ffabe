import type { Connection, Host, Rejected } from '../../connectors/connector.ts';
import { MailError, type MailSession } from '../../connectors/mail-connector.ts';
import { AppError } from '../../domain/errors.ts';
import type { MailStore } from '../ports.ts';
import { type Backfill, createBackfill } from './backfill.ts';
import type { BulkEvents, BulkRequest, BulkResult, FolderGap } from './bulk-job.ts';
import type { FetchLosses } from './fetch-losses.ts';
import { createSyncPasses, type SyncPasses, type SyncReport } from './sync-passes.ts';

export interface AccountConnectionParts {
  account: string;
  mail: MailStore;
  ownAddresses: readonly string[];
  connect(signal: AbortSignal): Promise<MailSession>;
  /** What has to be done before folders are looked at. */
  prepare(): Promise<void>;
  /** Runs a bulk job in threads of its own. */
  fetchMany(request: BulkRequest, how: BulkHow): Promise<BulkResult>;
  losses: FetchLosses;
  /** Folders other than the inbox are looked at this often. */
  pollMs: number;
  /** Emails received before this timestamp stay on the server. */
  since?: number;
  /** Offers the session to operations; returns how to end that. */
  onSession(session: LiveSession): () => void;
}

export interface BulkHow extends BulkEvents {
  signal: AbortSignal;
  /** For a server that allows no further connection. */
  session: MailSession;
}

export interface LiveSession {
  session: MailSession;
  /** Looks at all folders now; resolves when what is new is stored. */
  syncNow(): Promise<SyncReport>;
  /** The same, and resolves when all older emails are stored too. What was added meanwhile counts. */
  syncAll(): Promise<SyncReport>;
  /** How many emails were fetched, while many are. */
  progress(): { done: number; total: number } | undefined;
}

/** Keeps an account up to date: first what is missing, then what the server reports, and meanwhile older emails. */
export function createAccountConnection(parts: AccountConnectionParts, host: Host): Connection {
  let progress: { done: number; total: number } | undefined;

  async function run(signal: AbortSignal): Promise<Rejected | undefined> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const session = await connectUnlessRejected(ending);
    if ('reason' in session) return session;
    const tasks = [endingAll(over, endOf(session)), endingAll(over, follow(session, ending, over))];
    try {
      await Promise.all(tasks);
      return undefined;
    } catch (error) {
      throw readable(over.signal.reason ?? error);
    } finally {
      over.abort();
      await session.close().catch(() => {});
      await Promise.allSettled(tasks);
      progress = undefined;
    }
  }

  /** Until the session ends. */
  async function follow(session: MailSession, ending: AbortSignal, over: AbortController): Promise<void> {
    host.connected();
    await parts.prepare();
    const fetchMany = (gaps: readonly FolderGap[]) => fetchGaps(session, ending, gaps);
    const passes = createSyncPasses({ ...parts, session, log: host.log, fetchMany, unreadable });
    await passes.folders();
    const backfill = createBackfill({
      passes,
      fetchMany,
      now: host.clock.now,
      onFailure: (error) => over.abort(error),
    });
    const added = () => passes.added() + backfill.added();
    async function syncNow(): Promise<SyncReport> {
      const { report, older } = await passes.all();
      backfill.start(older);
      return report;
    }
    async function syncAll(): Promise<SyncReport> {
      const before = added();
      const report = await syncNow();
      await backfill.finished();
      return { ...report, added: added() - before };
    }
    const forget = parts.onSession({ session, syncNow, syncAll, progress: () => progress });
    try {
      await watch(session, ending, passes, backfill);
    } catch (error) {
      over.abort(error);
      throw error;
    } finally {
      forget();
      await backfill.finished().catch(() => {});
    }
  }

  async function watch(
    session: MailSession,
    ending: AbortSignal,
    passes: SyncPasses,
    backfill: Backfill,
  ): Promise<void> {
    backfill.start((await passes.all()).older);
    while (!ending.aborted) {
      // Whoever asks for a look is waiting for it, and every command would end IDLE.
      await passes.finished();
      if (ending.aborted) return;
      const polling = AbortSignal.any([ending, AbortSignal.timeout(parts.pollMs)]);
      const outcome = await session.watch('INBOX', polling);
      if (ending.aborted) return;
      backfill.start((outcome === 'changed' ? await passes.inbox() : await passes.all()).older);
    }
  }

  async function fetchGaps(session: MailSession, signal: AbortSignal, gaps: readonly FolderGap[]): Promise<BulkResult> {
    const { account, ownAddresses } = parts;
    const since = await oldestWanted();
    const request = { account, ownAddresses, gaps, ...(since === undefined ? {} : { since }) };
    const events = {
      lost: parts.losses.add,
      unreadable,
      progress(done: number, total: number) {
        progress = { done, total };
      },
    };
    try {
      return await parts.fetchMany(request, { ...events, signal, session });
    } finally {
      progress = undefined;
    }
  }

  /** Stored emails whose folder is being read again are looked for however old they are. */
  async function oldestWanted(): Promise<number | undefined> {
    if (parts.since === undefined) return undefined;
    const unlocated = await parts.mail.unlocated(parts.account);
    return unlocated.reduce((oldest, { receivedAt }) => Math.min(oldest, receivedAt), parts.since);
  }

  function unreadable(folder: number, uid: number): void {
    host.log.warn({ folder, uid }, 'an email is left out, because the server cannot deliver it');
  }

  async function connectUnlessRejected(signal: AbortSignal): Promise<MailSession | Rejected> {
    try {
      return await parts.connect(signal);
    } catch (error) {
      if (!(error instanceof MailError) || error.kind !== 'rejected') throw readable(error);
      return { kind: 'rejected', reason: error.message, cause: error.cause };
    }
  }

  return { run, progress: () => progress };
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

/** Reasons of the connector are our own text, which the user is shown. */
function readable(error: unknown): unknown {
  return error instanceof MailError ? new AppError('NETWORK_ERROR', error.message, { cause: error.cause }) : error;
}
