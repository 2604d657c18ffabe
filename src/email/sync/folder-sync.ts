import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FolderStatus, MailSession } from '../../connectors/mail-connector.ts';
import type { MailStore, StoredFolder } from '../ports.ts';
import { toStore } from '../rules/identity.ts';
import type { FolderGap } from './bulk-job.ts';
import type { FetchLosses } from './fetch-losses.ts';
import { fetchUids } from './fetch-uids.ts';

export interface FolderSyncParts {
  session: MailSession;
  mail: MailStore;
  account: string;
  ownAddresses: readonly string[];
  losses: FetchLosses;
  /** An email is left out, because the server cannot deliver it. */
  unreadable(folder: number, uid: number): void;
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
 * Brings a folder up to date: new emails, flags that other clients changed, and emails that they moved or deleted. Subscribers are
 * told of new emails, however they were noticed: also of those that arrived while there was no connection.
 */
export async function syncFolder(
  parts: FolderSyncParts,
  folder: StoredFolder,
  known?: FolderStatus,
): Promise<FolderSync> {
  const status = known ?? (await parts.session.status(folder.path));
  if (folder.uidValidity !== status.uidValidity || folder.high === 0) return begin(parts, folder, status);
  if (status.uidNext < folder.high) return rewind(parts, folder, status);
  const isMuch = status.uidNext - folder.high > MAX_NEW;
  const gaps = [...(isMuch ? [newerGap(parts, folder, status)] : []), ...olderGap(parts, folder, status)];
  // Emails that a bulk job has fetched but not stored yet may have changed: then the same changes are asked for again.
  const modseq = gaps.length === 0 ? status.highestModseq : undefined;
  const fetchSome = async () => (isMuch ? 0 : fetchNew(parts, folder, status));
  const change = () => applyChanges(parts, folder, status, modseq);
  if (!isUnchanged(folder, status)) {
    const [changes, added] = await both(change(), fetchSome());
    return { ...changes, added, gaps };
  }
  const added = await fetchSome();
  return { ...NOTHING, ...(added === 0 ? {} : await change()), added, gaps };
}

/** Changes are stored while the server reads the new emails. */
async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

async function begin(parts: FolderSyncParts, folder: StoredFolder, status: FolderStatus): Promise<FolderSync> {
  return { ...NOTHING, gaps: olderGap(parts, await beginFolder(parts.mail, folder, status), status) };
}

/** Everything in the folder is older than its beginning, and fetched as such. */
export async function beginFolder(
  mail: Pick<MailStore, 'beginFolder'>,
  folder: StoredFolder,
  { uidValidity, uidNext, highestModseq: modseq }: FolderStatus,
): Promise<StoredFolder> {
  await mail.beginFolder(folder.key, { uidValidity, uidNext, modseq });
  return { ...folder, uidValidity, low: uidNext, high: uidNext };
}

/**
 * The folder was restored from a backup: UIDs that were in use will be those of other emails. What had them is seen again as new
 * in case that only the answer was out of date.
 */
async function rewind(parts: FolderSyncParts, folder: StoredFolder, status: FolderStatus): Promise<FolderSync> {
  const { mail } = parts;
  const { uidNext } = status;
  const low = Math.min(folder.low, uidNext);
  await mail.saveProgress(folder.key, { high: uidNext, low });
  const removed = await mail.removeLocations(
    folder.key,
    await mail.uids(folder.key, { from: uidNext, to: Number.MAX_SAFE_INTEGER }),
  );
  return { ...NOTHING, removed, gaps: olderGap(parts, { ...folder, low }, status) };
}

function olderGap(parts: FolderSyncParts, folder: StoredFolder, status: FolderStatus): readonly FolderGap[] {
  if (folder.low <= 1) return [];
  return [gapOf(parts, folder, status, { direction: 'older', from: 1, to: folder.low - 1 })];
}

function newerGap(parts: FolderSyncParts, folder: StoredFolder, status: FolderStatus): FolderGap {
  return gapOf(parts, folder, status, { direction: 'newer', from: folder.high, to: status.uidNext - 1 });
}

function gapOf(
  { losses }: FolderSyncParts,
  { key, path, role }: StoredFolder,
  { uidValidity }: FolderStatus,
  gap: Pick<FolderGap, 'direction' | 'from' | 'to'>,
): FolderGap {
  const care = losses.careFor(key, uidValidity);
  return { folder: key, path, uidValidity, care, ...gap, ...(role === undefined ? {} : { role }) };
}

/** Returns how many were new. */
async function fetchNew(parts: FolderSyncParts, folder: StoredFolder, status: FolderStatus): Promise<number> {
  const { session, mail, account, ownAddresses, losses, unreadable } = parts;
  const { key, path, role } = folder;
  const { uidValidity } = status;
  const [from, to] = [folder.high, status.uidNext - 1];
  const count = to - from + 1;
  if (count <= 0) return 0;
  let added = 0;
  await fetchUids(session, {
    path,
    uids: Array.from({ length: count }, (_, index) => from + index),
    care: losses.careFor(key, uidValidity),
    async take(batch) {
      const mails = batch.map((each) => toStore(each, role, ownAddresses));
      const high = (batch.at(-1)?.uid ?? from) + 1;
      const recorded = await mail.record({ account, folder: key, mails, origin: 'live', progress: { high } });
      added += recorded.added;
    },
    lost: (uid) => losses.add({ folder: key, uidValidity, from, ...(uid === undefined ? {} : { uid }) }),
    unreadable: (uid) => unreadable(key, uid),
  });
  await mail.saveProgress(key, { high: status.uidNext });
  return added;
}

/** Servers without CONDSTORE do not tell, so that all flags are compared. */
function isUnchanged({ modseq }: StoredFolder, { highestModseq }: FolderStatus): boolean {
  return modseq !== undefined && modseq === highestModseq;
}

async function applyChanges(
  { session, mail }: FolderSyncParts,
  folder: StoredFolder,
  { uidValidity }: FolderStatus,
  nextModseq: string | undefined,
): Promise<{ changed: number; removed: number }> {
  const { key, path, low, high, modseq } = folder;
  const changes =
    session.can.condstore && modseq !== undefined
      ? await session.changes(path, { uidValidity, modseq })
      : { flags: low < high ? await session.facts(path, { from: low, to: high - 1 }) : [] };
  // The next command is sent before this thread is busy with storing.
  await nextTurn();
  const gone = changes.vanished ?? (await missing({ session, mail }, folder));
  const removed = gone.length === 0 ? 0 : await mail.removeLocations(key, gone);
  const changed = await mail.saveFlags(key, changes.flags, nextModseq === undefined ? {} : { modseq: nextModseq });
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
