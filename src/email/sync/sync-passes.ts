import { MailError, type MailSession } from '../../connectors/mail-connector.ts';
import type { Log } from '../../lib/log.ts';
import type { StoredFolder } from '../ports.ts';
import type { FolderGap } from './bulk-job.ts';
import { type FolderSyncParts, syncFolder } from './folder-sync.ts';

export interface SyncReport {
  added: number;
  changed: number;
  removed: number;
}

type Origin = 'live' | 'newer';

/** Looks at the folders of one session; passes run one after the other. */
export function createSyncPasses(parts: FolderSyncParts & { session: MailSession; log: Log }) {
  const { account, mail, session, log } = parts;
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work, work);
    turn = next.catch(() => {});
    return next;
  }

  async function allFolders(origin: Origin): Promise<{ gaps: FolderGap[]; report: SyncReport }> {
    const gaps: FolderGap[] = [];
    const report = { added: 0, changed: 0, removed: 0 };
    for (const folder of await mail.saveFolders(account, await session.folders())) {
      const result = await syncUnlessRefused(folder, origin);
      if (!result) continue;
      gaps.push(...result.gaps);
      report.added += result.added;
      report.changed += result.changed;
      report.removed += result.removed;
    }
    // Emails that were moved are in their new folder by now, unless very many are new there.
    if (gaps.every(({ direction }) => direction === 'older')) await mail.deleteUnlocated(account);
    return { gaps, report };
  }

  /** A folder that cannot be opened, such as one of another user, does not keep the others from being read. */
  async function syncUnlessRefused(folder: StoredFolder, origin: Origin) {
    try {
      return await syncFolder(parts, folder, origin);
    } catch (err) {
      if (!(err instanceof MailError) || err.kind !== 'refused') throw err;
      log.info({ err, folder: folder.key }, 'a folder could not be synchronized');
      return undefined;
    }
  }

  return {
    /** Returns what is too much to fetch within a pass. */
    all: (origin: Origin) => inTurn(async () => (await allFolders(origin)).gaps),
    inbox: () =>
      inTurn(async () => {
        const inbox = (await mail.folders(account)).find(({ role }) => role === 'inbox');
        const result = inbox && (await syncUnlessRefused(inbox, 'live'));
        // What left the inbox may be in another folder.
        return result && result.removed === 0 ? result.gaps : (await allFolders('live')).gaps;
      }),
    now: () => inTurn(async () => (await allFolders('live')).report),
  };
}

export type SyncPasses = ReturnType<typeof createSyncPasses>;
