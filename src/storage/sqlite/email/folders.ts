import { FOLDER_ROLES, type FolderRole } from '../../../domain/email.ts';
import type { FolderProgress, MailStore, StoredFolder } from '../../../email/ports.ts';
import type { Reader, Transaction } from '../database.ts';
import { removeAllLocations } from './locations.ts';

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

export function saveFolders(
  tx: Transaction,
  account: string,
  remote: Parameters<MailStore['saveFolders']>[1],
): StoredFolder[] {
  const wanted = new Map(remote.filter(({ isSelectable }) => isSelectable).map((folder) => [folder.path, folder]));
  for (const { key, path } of foldersOf(tx, account)) {
    if (!wanted.has(path)) removeFolder(tx, key);
  }
  for (const { path, role } of wanted.values()) {
    tx.run(
      `insert into email_folders (account, path, role, low, high) values (?, ?, ?, 0, 0)
       on conflict (account, path) do update set role = excluded.role where role is not excluded.role`,
      account,
      path,
      role ?? null,
    );
  }
  return foldersOf(tx, account);
}

export function removeFolder(tx: Transaction, key: number): void {
  removeAllLocations(tx, key);
  tx.run('delete from email_folders where key = ?', key);
}

export function saveProgress(
  tx: Transaction,
  folder: number,
  { uidValidity, modseq, low, high }: FolderProgress,
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

/** Nothing of the folder is stored any more, as far as its new numbers are concerned. */
export function resetFolder(tx: Transaction, folder: number, uidValidity: string): void {
  removeAllLocations(tx, folder);
  tx.run(
    'update email_folders set uid_validity = ?, modseq = null, low = 0, high = 0 where key = ?',
    uidValidity,
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
