import type { FolderStatus, MailSession } from '../../connectors/mail-connector.ts';
import type { MailStore, StoredFolder } from '../ports.ts';
import { toStore } from '../rules/identity.ts';
import type { FolderGap } from './bulk-job.ts';

export interface FolderSyncParts {
  session: MailSession;
  mail: MailStore;
  account: string;
  ownAddresses: readonly string[];
}

export interface FolderSync {
  added: number;
  changed: number;
  /** Emails that left the folder: they may be in another one. */
  removed: number;
  /** Too many new emails to fetch them here. */
  gaps: readonly FolderGap[];
}

/** More new emails are fetched by a bulk job. */
const MAX_NEW = 500;
const NOTHING: FolderSync = { added: 0, changed: 0, removed: 0, gaps: [] };

/**
 * Brings a folder up to date: new emails, flags that other clients changed, and emails that they moved or deleted. `live` where
 * the server has just reported a change.
 */
export async function syncFolder(
  parts: FolderSyncParts,
  folder: StoredFolder,
  origin: 'live' | 'newer',
): Promise<FolderSync> {
  const { session, mail } = parts;
  const status = await session.status(folder.path);
  if (folder.uidValidity !== undefined && folder.uidValidity !== status.uidValidity) {
    await mail.resetFolder(folder.key, status.uidValidity);
    return begin(parts, { ...folder, low: 0, high: 0 }, status);
  }
  if (folder.high === 0) return begin(parts, folder, status);
  const fetched = await fetchNew(parts, folder, status, origin);
  if (isUnchanged(folder, status) && fetched.added === 0)
    return { ...fetched, gaps: withOlder(folder, status, fetched.gaps) };
  const { changed, removed } = await applyChanges(parts, folder, status);
  return { ...fetched, changed, removed, gaps: withOlder(folder, status, fetched.gaps) };
}

async function begin({ mail }: FolderSyncParts, folder: StoredFolder, status: FolderStatus): Promise<FolderSync> {
  const { low } = await beginFolder(mail, folder, status);
  return { ...NOTHING, gaps: withOlder({ ...folder, low }, status, []) };
}

/** Everything in the folder is older than its beginning, and fetched as such. */
export async function beginFolder(
  mail: Pick<MailStore, 'saveProgress'>,
  folder: StoredFolder,
  { uidValidity, uidNext, highestModseq }: FolderStatus,
): Promise<StoredFolder> {
  const begun = { uidValidity, low: uidNext, high: uidNext };
  await mail.saveProgress(folder.key, { ...begun, ...(highestModseq === undefined ? {} : { modseq: highestModseq }) });
  return { ...folder, ...begun };
}

function withOlder(folder: StoredFolder, status: FolderStatus, gaps: readonly FolderGap[]): readonly FolderGap[] {
  if (folder.low <= 1) return gaps;
  return [...gaps, gapOf(folder, status, { direction: 'older', from: 1, to: folder.low - 1 })];
}

function gapOf(
  { key, path, role }: StoredFolder,
  { uidValidity }: FolderStatus,
  gap: Pick<FolderGap, 'direction' | 'from' | 'to'>,
): FolderGap {
  return { folder: key, path, uidValidity, ...gap, ...(role === undefined ? {} : { role }) };
}

async function fetchNew(
  { session, mail, account, ownAddresses }: FolderSyncParts,
  folder: StoredFolder,
  status: FolderStatus,
  origin: 'live' | 'newer',
): Promise<FolderSync> {
  const range = { from: folder.high, to: status.uidNext - 1 };
  const count = range.to - range.from + 1;
  if (count <= 0) return NOTHING;
  if (count > MAX_NEW) return { ...NOTHING, gaps: [gapOf(folder, status, { direction: 'newer', ...range })] };
  let added = 0;
  await session.fetch(folder.path, range, async (batch) => {
    const mails = batch.map((each) => toStore(each, folder.role, ownAddresses));
    const high = (batch.at(-1)?.uid ?? range.from) + 1;
    const recorded = await mail.record({ account, folder: folder.key, mails, origin, progress: { high } });
    added += recorded.added;
  });
  await mail.saveProgress(folder.key, { high: status.uidNext });
  return { ...NOTHING, added };
}

/** Servers without CONDSTORE do not tell, so that all flags are compared. */
function isUnchanged({ modseq }: StoredFolder, { highestModseq }: FolderStatus): boolean {
  return modseq !== undefined && modseq === highestModseq;
}

async function applyChanges(
  { session, mail }: FolderSyncParts,
  folder: StoredFolder,
  status: FolderStatus,
): Promise<{ changed: number; removed: number }> {
  const { key, path, low, high, modseq } = folder;
  const { uidValidity, highestModseq } = status;
  const changes =
    session.can.condstore && modseq !== undefined
      ? await session.changes(path, { uidValidity, modseq })
      : { flags: low < high ? await session.facts(path, { from: low, to: high - 1 }) : [] };
  const gone = changes.vanished ?? (await missing({ session, mail }, folder));
  const removed = gone.length === 0 ? 0 : await mail.removeLocations(key, gone);
  const changed = await mail.saveFlags(
    key,
    changes.flags,
    highestModseq === undefined ? {} : { modseq: highestModseq },
  );
  return { changed, removed };
}

/** Stored emails that the server no longer lists. */
async function missing(
  { session, mail }: Pick<FolderSyncParts, 'session' | 'mail'>,
  { key, path, low, high }: StoredFolder,
): Promise<readonly number[]> {
  const stored = await mail.uids(key, { from: low, to: high - 1 });
  if (stored.length === 0) return [];
  const present = new Set(await session.uids(path));
  return stored.filter((uid) => !present.has(uid));
}
