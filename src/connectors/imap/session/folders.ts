import type { ListResponse, StatusObject } from 'imapflow';
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
const STATUS = { messages: true, uidNext: true, uidValidity: true, highestModseq: true };
const INBOX: RemoteFolder = { path: 'INBOX', names: ['INBOX'], role: 'inbox', isSelectable: true };

/** With the state of each, if it is wanted and the server tells it in the same answer (LIST-STATUS, RFC 5819). */
export async function listFolders(
  connection: ImapConnection,
  { withStatus, prefix = '' }: { withStatus: boolean; prefix?: string },
): Promise<readonly RemoteFolder[]> {
  const { client, run } = connection;
  const listed = await run(async () => {
    if (!withStatus || !client.capabilities.has('LIST-STATUS')) return client.list();
    if (client.mailbox) await prepareStatus(connection, client.mailbox.path);
    return client.list({ statusQuery: STATUS });
  });
  const folders = [...byPath(listed).values()].map((folder) => toFolder(connection, folder, prefix));
  // Every user has one (RFC 3501, section 5.1), whether or not it is listed.
  return folders.some(({ role }) => role === 'inbox') ? folders : [INBOX, ...folders];
}

export async function createFolder({ client, run }: ImapConnection, path: string): Promise<void> {
  checkPath(path);
  await run(() => client.mailboxCreate(path));
}

export async function folderStatus(connection: ImapConnection, path: string): Promise<FolderStatus> {
  checkPath(path);
  const { client, run, accepted } = connection;
  const answer = await run(async () => {
    await prepareStatus(connection, path);
    return accepted(await client.status(path, STATUS));
  });
  const status = toStatus(connection, path, answer);
  if (!status) throw refusal(undefined, answer);
  return status;
}

async function prepareStatus({ client, memory }: ImapConnection, path: string): Promise<void> {
  // Servers may answer for the open folder with what they last reported of it (RFC 3501, section 6.3.10).
  if (client.mailbox && client.mailbox.path === path) await client.noop();
  memory.asked(path);
}

function toStatus(connection: ImapConnection, path: string, answer: StatusObject): FolderStatus | undefined {
  const { messages, uidNext, uidValidity, highestModseq } = answer;
  if (messages === undefined || uidNext === undefined || uidValidity === undefined) return undefined;
  connection.memory.told(path, uidValidity, { exists: messages, uidNext, highestModseq });
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

function toFolder(connection: ImapConnection, listed: ListResponse, prefix: string): RemoteFolder {
  const { path, pathAsListed, flags, delimiter, specialUse, status: answer } = listed;
  const role = isCertain(listed, prefix) ? ROLES[specialUse ?? ''] : undefined;
  const status = answer && toStatus(connection, path, answer);
  return {
    path,
    names: delimiter ? path.split(delimiter) : [path],
    ...(role === undefined ? {} : { role }),
    ...(status === undefined ? {} : { status }),
    isSelectable: !flags.has('\\Noselect') && !flags.has('\\NonExistent') && canBeNamed(path, pathAsListed),
  };
}

/** A folder within another may have any name: `Projects/Archive` is not the archive of the account, nor `Research/Spam` its junk. */
function isCertain({ specialUseSource, parentPath, delimiter }: ListResponse, prefix: string): boolean {
  if (specialUseSource !== 'name' || parentPath === '' || parentPath.toUpperCase() === 'INBOX') return true;
  return `${parentPath}${delimiter}` === prefix;
}
