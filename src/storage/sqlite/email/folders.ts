import { setImmediate as nextTurn } from 'node:timers/promises';
import { FOLDER_ROLES, type FolderRole } from '../../../domain/email.ts';
import {
  type ExpectedFolder,
  FolderChangedError,
  type FolderProgress,
  type MailStore,
  type StoredFolder,
} from '../../../email/ports.ts';
import type { Database, Reader, Transaction } from '../database.ts';
import { refreshFolder, removeSomeLocations } from './locations.ts';

type RemoteFolder = Parameters<MailStore['saveFolders']>[1][number];

interface FolderRow {
  key: number;
  account: string;
  path: string;
  role: FolderRole | null;
  uid_validity: string | null;
  modseq: string | null;
  low: number;
  high: number;
}

/** Mail that people look for first, and mail that they threw away last. */
const ORDER: readonly (FolderRole | undefined)[] = [
  'inbox',
  'sent',
  'drafts',
  'archive',
  undefined,
  'all',
  'trash',
  'junk',
];

export function foldersOf(reader: Reader, account: string): StoredFolder[] {
  return reader
    .all<FolderRow>('select * from email_folders where account = ? order by path', account)
    .map(toFolder)
    .sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role));
}

/** Returns the folders that are no longer there. */
export function saveFolders(tx: Transaction, account: string, remote: readonly RemoteFolder[]): StoredFolder[] {
  const wanted = new Map(remote.filter(({ isSelectable }) => isSelectable).map((folder) => [folder.path, folder]));
  const before = foldersOf(tx, account);
  for (const { path, role } of wanted.values()) {
    tx.run(
      `insert into email_folders (account, path, role, low, high) values (?, ?, ?, 0, 0)
       on conflict (account, path) do update set role = excluded.role where role is not excluded.role`,
      account,
      path,
      role ?? null,
    );
  }
  for (const { key, path, role } of before) {
    const folder = wanted.get(path);
    if (folder && isDiscarding(folder.role) !== isDiscarding(role)) refreshFolder(tx, key);
  }
  return before.filter(({ path }) => !wanted.has(path));
}

function isDiscarding(role: FolderRole | undefined): boolean {
  return role === 'trash' || role === 'junk';
}

export async function removeFolder(db: Database, folder: number): Promise<void> {
  await clearFolder(db, folder);
  await db.write((tx) => tx.run('delete from email_folders where key = ?', folder), { durable: false });
}

export async function beginFolder(
  db: Database,
  folder: number,
  { uidValidity, uidNext, modseq }: Parameters<MailStore['beginFolder']>[1],
): Promise<void> {
  await clearFolder(db, folder);
  const progress = { uidValidity, low: uidNext, high: uidNext, modseq };
  await db.write((tx) => saveProgress(tx, folder, progress), { durable: false });
}

/** In short transactions. The first one forgets the numbering, so that the remaining UIDs mean nothing if it is not the last. */
async function clearFolder(db: Database, folder: number): Promise<void> {
  const forget = 'update email_folders set uid_validity = null, modseq = null, low = 0, high = 0 where key = ?';
  await db.write((tx) => tx.run(forget, folder), { durable: false });
  while ((await db.write((tx) => removeSomeLocations(tx, folder), { durable: false })) > 0) await nextTurn();
}

/** Throws FolderChangedError if another state of the folder is stored. */
export function checkFolder(reader: Reader, folder: number, { uidValidity, low, high }: ExpectedFolder): void {
  const row = reader.get<FolderRow>('select * from email_folders where key = ?', folder);
  const isSame = row?.uid_validity === uidValidity && row.low === (low ?? row.low) && row.high === (high ?? row.high);
  if (!isSame) throw new FolderChangedError('the folder has changed while it was fetched');
}

export function saveProgress(
  tx: Transaction,
  folder: number,
  { uidValidity, modseq, low, high }: { [Key in keyof FolderProgress]: FolderProgress[Key] | undefined },
): void {
  tx.run(
    `update email_folders set uid_validity = coalesce(?, uid_validity), modseq = coalesce(?, modseq),
       low = coalesce(?, low), high = coalesce(?, high) where key = ?`,
    uidValidity ?? null,
    modseq ?? null,
    low ?? null,
    high ?? null,
    folder,
  );
}

function toFolder({ key, account, path, role, uid_validity: uidValidity, modseq, low, high }: FolderRow): StoredFolder {
  return {
    key,
    account,
    path,
    ...(role !== null && FOLDER_ROLES.includes(role) ? { role } : {}),
    ...(uidValidity === null ? {} : { uidValidity }),
    ...(modseq === null ? {} : { modseq }),
    low,
    high,
  };
}
