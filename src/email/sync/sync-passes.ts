import { type FolderStatus, MailError, type RemoteFolder } from '../../connectors/mail-connector.ts';
import type { Log } from '../../lib/log.ts';
import type { StoredFolder } from '../ports.ts';
import type { BulkResult, FolderGap } from './bulk-job.ts';
import { type FolderSync, type FolderSyncParts, syncFolder } from './folder-sync.ts';

export interface SyncReport {
  added: number;
  changed: number;
  removed: number;
}

export interface PassResult {
  report: SyncReport;
  /** Older emails that are left to fetch. */
  older: readonly FolderGap[];
}

export interface PassParts extends FolderSyncParts {
  /** Fetches more new emails than a pass does by itself. */
  fetchMany(gaps: readonly FolderGap[]): Promise<BulkResult>;
  log: Log;
}

/** What one look at all folders found. */
interface Look extends PassResult {
  /** Whether every email that the server has is stored: then one that is in no folder is gone. */
  isComplete: boolean;
}

/** Looks at the folders of one session; passes run one after the other. */
export function createSyncPasses(parts: PassParts) {
  const { account, mail, session, log } = parts;
  let turn: Promise<unknown> = Promise.resolve();
  let added = 0;

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const start = () => mail.prioritize(work);
    const next = turn.then(start, start);
    turn = next.catch(() => {});
    return next;
  }

  async function counted(pass: Promise<PassResult>): Promise<PassResult> {
    const result = await pass;
    added += result.report.added;
    return result;
  }

  /**
   * An email that is in no folder is deleted if it was so before all of them were looked at: it may have been moved, meanwhile,
   * into a folder that had been looked at already. So there is a second look after emails have left their folders.
   */
  async function pass(): Promise<PassResult> {
    const first = await lookAndDelete();
    if (!first.isComplete || (await mail.unlocated(account)).length === 0) return first;
    const second = await lookAndDelete();
    return { report: sumOf(first.report, second.report), older: second.older };
  }

  async function lookAndDelete(): Promise<Look> {
    const unlocated = await mail.unlocated(account);
    // An email that may be deleted is looked for in the state that each folder has at its turn.
    const look = await lookAtAll({ withStatus: unlocated.length === 0 });
    if (look.isComplete && unlocated.length > 0) {
      await mail.deleteUnlocated(
        account,
        unlocated.map(({ id }) => id),
      );
    }
    return look;
  }

  async function lookAtAll(options: { withStatus: boolean }): Promise<Look> {
    const found: FolderSync[] = [];
    let isComplete = true;
    const remote = await listed(options);
    const statuses = new Map(remote.map(({ path, status }) => [path, status]));
    for (const folder of await mail.saveFolders(account, remote)) {
      const result = await syncUnlessRefused(folder, statuses.get(folder.path));
      if (result) found.push(result);
      // One that could never be read tells nothing.
      else if (folder.high > 0) isComplete = false;
    }
    const { older, added, refused } = await fetchNewer(found.flatMap(({ gaps }) => gaps));
    return {
      report: found.reduce<SyncReport>(sumOf, { added, changed: 0, removed: 0 }),
      older,
      isComplete: isComplete && older.length === 0 && refused === 0,
    };
  }

  /** Folders as the server lists them, and those that it still has although it does not list them at the moment. */
  async function listed(options = { withStatus: false }): Promise<RemoteFolder[]> {
    const remote = await session.folders(options);
    const paths = new Set(remote.map(({ path }) => path));
    const unlisted = (await mail.folders(account)).filter(({ path }) => !paths.has(path));
    const present: StoredFolder[] = [];
    for (const folder of unlisted) if (await isPresent(folder)) present.push(folder);
    return [
      ...remote,
      ...present.map(({ path, role }) => ({ path, names: [path], isSelectable: true, ...optional(role) })),
    ];
  }

  async function isPresent({ path }: StoredFolder): Promise<boolean> {
    try {
      await session.status(path);
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return false;
    }
  }

  async function fetchNewer(gaps: readonly FolderGap[]) {
    const { older = [], newer = [] } = Object.groupBy(gaps, ({ direction }) => direction);
    const { added, refused } = newer.length === 0 ? { added: 0, refused: [] } : await parts.fetchMany(newer);
    return { older, added, refused: refused.length };
  }

  /** A folder that cannot be opened, such as one of another user, does not keep the others from being read. */
  async function syncUnlessRefused(folder: StoredFolder, status?: FolderStatus): Promise<FolderSync | undefined> {
    try {
      return await syncFolder(parts, folder, status);
    } catch (err) {
      if (!isRefusal(err)) throw err;
      log.info({ err, folder: folder.key }, 'a folder could not be synchronized');
      return undefined;
    }
  }

  async function lookAtInbox(): Promise<PassResult> {
    const inbox = (await mail.folders(account)).find(({ role }) => role === 'inbox');
    const result = inbox && (await syncUnlessRefused(inbox));
    // What left the inbox may be in another folder.
    if (!result || result.removed > 0) return pass();
    const { older, added } = await fetchNewer(result.gaps);
    return { report: sumOf(result, { added, changed: 0, removed: 0 }), older };
  }

  return {
    /** Before the first pass, so that operations know the folders. */
    folders: () => inTurn(async () => void (await mail.saveFolders(account, await listed()))),
    all: () => counted(inTurn(pass)),
    inbox: () => counted(inTurn(lookAtInbox)),
    /** Emails that all passes have added. */
    added: () => added,
    /** Resolves when none is running or waiting any more. */
    async finished() {
      for (let last: unknown; last !== turn; await last) last = turn;
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof MailError && error.kind === 'refused';
}

function sumOf(a: SyncReport, b: SyncReport): SyncReport {
  return { added: a.added + b.added, changed: a.changed + b.changed, removed: a.removed + b.removed };
}

function optional(role: StoredFolder['role']) {
  return role === undefined ? {} : { role };
}

export type SyncPasses = ReturnType<typeof createSyncPasses>;
