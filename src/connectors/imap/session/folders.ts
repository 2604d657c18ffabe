import type { ListResponse } from 'imapflow';
import type { FolderRole } from '../../../domain/email.ts';
import type { FolderStatus, RemoteFolder } from '../../mail-connector.ts';
import type { ImapConnection } from './connection.ts';
import { refusal } from './failure.ts';
import { canBeNamed, checkPath } from './folder-name.ts';

const ROLES: Readonly<Record<string, FolderRole>> = {
  '\\Inbox': 'inbox',
  '\\Sent': 'sent',
  '\\Drafts': 'drafts',
  '\\Trash': 'trash',
  '\\Junk': 'junk',
  '\\Archive': 'archive',
  '\\All': 'all',
};
const INBOX: RemoteFolder = { path: 'INBOX', names: ['INBOX'], role: 'inbox', isSelectable: true };

export async function listFolders({ client, run }: ImapConnection): Promise<readonly RemoteFolder[]> {
  const listed = await run(() => client.list());
  const folders = [...byPath(listed).values()].map(toFolder);
  // Every user has one (RFC 3501, section 5.1), whether or not it is listed.
  return folders.some(({ role }) => role === 'inbox') ? folders : [INBOX, ...folders];
}

export async function createFolder({ client, run }: ImapConnection, path: string): Promise<void> {
  checkPath(path);
  await run(() => client.mailboxCreate(path));
}

export async function folderStatus(connection: ImapConnection, path: string): Promise<FolderStatus> {
  checkPath(path);
  const { client, run, accepted, memory } = connection;
  const asked = { messages: true, uidNext: true, uidValidity: true, highestModseq: true };
  const status = await run(async () => {
    // Servers may answer for the open folder with what they last reported of it (RFC 3501, section 6.3.10).
    if (client.mailbox && client.mailbox.path === path) await client.noop();
    return accepted(await client.status(path, asked));
  });
  const { messages, uidNext, uidValidity, highestModseq } = status;
  if (messages === undefined || uidNext === undefined || uidValidity === undefined) throw refusal(undefined, status);
  memory.told(path, uidValidity, { exists: messages, uidNext, highestModseq });
  return {
    uidValidity: String(uidValidity),
    uidNext,
    messages,
    // Zero: this folder has none.
    ...(highestModseq && hasCondstore(connection) ? { highestModseq: String(highestModseq) } : {}),
  };
}

/** Whether changes since a modseq can be asked for. */
export function hasCondstore({ client }: Pick<ImapConnection, 'client'>): boolean {
  return client.enabled.has('CONDSTORE');
}

/** A server that lists a folder twice means one. */
function byPath(listed: readonly ListResponse[]): ReadonlyMap<string, ListResponse> {
  return new Map(listed.filter(({ path }) => path !== '').map((folder) => [folder.path, folder]));
}

function toFolder({ path, pathAsListed, flags, delimiter, specialUse }: ListResponse): RemoteFolder {
  const role = ROLES[specialUse ?? ''];
  return {
    path,
    names: delimiter ? path.split(delimiter) : [path],
    ...(role === undefined ? {} : { role }),
    isSelectable: !flags.has('\\Noselect') && !flags.has('\\NonExistent') && canBeNamed(path, pathAsListed),
  };
}
