import { MailError, type MailSession } from '../../connectors/mail-connector.ts';
import { type FolderRole, folderRoleNamed } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import { quotedName } from '../../lib/shown-name.ts';
import type { EmailLocation, MailStore, StoredEmail, StoredFolder } from '../ports.ts';
import { beginFolder } from '../sync/folder-sync.ts';
import type { CopiesToMove } from './copies-to-move.ts';

export interface ChangeParts {
  mail: MailStore;
  session: MailSession;
  account: string;
}

export type FlagChange = { add?: readonly string[]; remove?: readonly string[] };

/** Changes flags on the server, in every folder that has the emails, and then in the store. */
export async function changeFlags(
  parts: ChangeParts,
  emails: readonly StoredEmail[],
  change: FlagChange,
): Promise<void> {
  await inEachFolder(parts, byFolder(emails), async ({ folder, entries }) => {
    const uids = entries.map(({ uid }) => uid);
    await parts.session.setFlags(folder.path, uids, change);
    await parts.mail.saveFlags(
      folder.folder,
      entries.map(({ uid, email }) => ({ uid, flags: changed(email.flags, change) })),
    );
  });
}

/** Moves these copies of emails into a folder. */
export async function moveEmails(
  parts: ChangeParts,
  emails: readonly StoredEmail[],
  target: StoredFolder,
  copies: CopiesToMove,
): Promise<void> {
  const others = byFolder(emails, (email) => copies(email, target)).filter(
    ({ folder }) => folder.folder !== target.key,
  );
  const where = (path: string) => `From ${quotedName(path)} to ${quotedName(target.path)}`;
  await inEachFolder({ ...parts, where }, others, async ({ folder, entries }) => {
    const uids = entries.map(({ uid }) => uid);
    const moved = await parts.session.move(folder.path, uids, target.path);
    await parts.mail.moveLocations(folder.folder, target.key, moved);
    const untold = uids.filter((uid) => !moved.has(uid));
    if (untold.length > 0) await parts.mail.removeLocations(folder.folder, untold);
  });
}

/** Deletes emails for good, from every folder. */
export async function expungeEmails(parts: ChangeParts, emails: readonly StoredEmail[]): Promise<void> {
  try {
    await inEachFolder(parts, byFolder(emails), async ({ folder, entries }) => {
      const uids = entries.map(({ uid }) => uid);
      await parts.session.expunge(folder.path, uids);
      await parts.mail.removeLocations(folder.folder, uids);
    });
  } finally {
    await parts.mail.deleteUnlocated(
      parts.account,
      emails.map(({ id }) => id),
    );
  }
}

/** A folder that the server does not let us change does not keep those after it from being changed; it fails in the end. */
async function inEachFolder(
  { where = (path) => `In ${quotedName(path)}`, ...parts }: ChangeParts & { where?: (path: string) => string },
  folders: readonly FolderEntries[],
  work: (entries: FolderEntries) => Promise<void>,
): Promise<void> {
  let refused: MailError | undefined;
  for (const each of folders) {
    try {
      await checkNumbering(parts, each.folder);
      await work(each);
    } catch (error) {
      if (!(error instanceof MailError) || error.kind !== 'refused') throw error;
      refused ??= new MailError('refused', `${where(each.folder.path)}: ${error.message}`, error.cause);
    }
  }
  if (refused) throw refused;
}

const USUAL_NAMES: Partial<Record<FolderRole, string>> = {
  trash: 'Trash',
  drafts: 'Drafts',
  sent: 'Sent',
  archive: 'Archive',
};

/** The folder for a purpose; one that the account lacks is created. */
export async function folderFor({ mail, session, account }: ChangeParts, role: FolderRole): Promise<StoredFolder> {
  const find = (folders: readonly StoredFolder[]) => folders.find((folder) => folder.role === role);
  const known = find(await mail.folders(account));
  if (known) return known;
  const name = USUAL_NAMES[role];
  if (name !== undefined) {
    await session.createFolder(name);
    const created = find(await mail.saveFolders(account, await session.folders()));
    // Its numbers are known from now on, so that what is moved into it can be changed at once.
    if (created) return beginFolder(mail, created, await session.status(created.path));
  }
  throw new AppError('NOT_FOUND', `The account '${account}' has no folder for ${role}.`, { field: 'folder' });
}

/** The folder that a caller names by its purpose, its path or the last part of it, which only one may have. */
export async function folderNamed(parts: ChangeParts, wanted: string): Promise<StoredFolder> {
  const named = await parts.mail.foldersNamed(parts.account, wanted);
  const role = folderRoleNamed(wanted);
  const found =
    named.find((folder) => role !== undefined && folder.role === role) ??
    named.find(({ path }) => path === wanted) ??
    named.find(({ path }) => path.toLowerCase() === wanted.trim().toLowerCase());
  if (found) return found;
  if (role !== undefined) return folderFor(parts, role);
  const [first, ...others] = named;
  if (!first) throw noFolder(`The account '${parts.account}' has no folder of this name.`);
  if (others.length === 0) return first;
  const paths = named.map(({ path }) => quotedName(path)).join(', ');
  throw new AppError('VALIDATION_ERROR', `Several folders have this name: ${paths}.`, {
    field: 'folder',
    hint: 'Give the whole path.',
  });
}

/** Where a caller names a folder that there is not. */
export function noFolder(message: string, field = 'folder'): AppError {
  return new AppError('NOT_FOUND', message, { field, hint: '`list_folders` shows what there is.' });
}

interface FolderEntries {
  folder: EmailLocation;
  entries: { uid: number; email: StoredEmail }[];
}

function byFolder(
  emails: readonly StoredEmail[],
  copiesOf = ({ locations }: StoredEmail) => locations,
): FolderEntries[] {
  const folders = new Map<number, FolderEntries>();
  for (const email of emails) {
    for (const location of copiesOf(email)) {
      const known = folders.get(location.folder) ?? { folder: location, entries: [] };
      known.entries.push({ uid: location.uid, email });
      folders.set(location.folder, known);
    }
  }
  return [...folders.values()];
}

/** Had the folder been numbered anew, the UIDs would mean other emails. */
async function checkNumbering({ mail, session, account }: ChangeParts, { folder, path }: EmailLocation): Promise<void> {
  const known = (await mail.folders(account)).find(({ key }) => key === folder);
  const { uidValidity } = await session.status(path);
  if (known?.uidValidity === uidValidity) return;
  throw new AppError('BUSY', 'The folder has changed on the server and is being read again.', {
    hint: 'Try again in a moment.',
  });
}

function changed(flags: readonly string[], { add = [], remove = [] }: FlagChange): string[] {
  return [...new Set([...flags.filter((flag) => !remove.includes(flag)), ...add])];
}
