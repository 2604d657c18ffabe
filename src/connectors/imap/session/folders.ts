import type { ListResponse, StatusObject } from 'imapflow';
import { specialUse as useByName } from 'imapflow/lib/special-use.js';
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
  const all = [...byPath(listed).values()];
  const roles = rolesOf(all, prefix);
  const folders = all.map((folder) => toFolder(connection, folder, roles.get(folder)));
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

function toFolder(
  connection: ImapConnection,
  { path, pathAsListed, flags, delimiter, status: answer }: ListResponse,
  role: FolderRole | undefined,
): RemoteFolder {
  const status = answer && toStatus(connection, path, answer);
  return {
    path,
    names: delimiter ? path.split(delimiter) : [path],
    ...(role === undefined ? {} : { role }),
    ...(status === undefined ? {} : { status }),
    isSelectable: !isMissing({ flags }) && canBeNamed(path, pathAsListed),
  };
}

/**
 * What folders are for. A folder within another may have any name: `Projects/Archive` is not the archive of the account, nor
 * `Research/Spam` its junk. Where imapflow has chosen such a one, the next that has a name for this purpose counts.
 */
function rolesOf(listed: readonly ListResponse[], prefix: string): ReadonlyMap<ListResponse, FolderRole> {
  const roles = new Map<ListResponse, FolderRole>();
  const give = (folder: ListResponse | undefined, use: string) => {
    const role = ROLES[use];
    if (folder && role) roles.set(folder, role);
  };
  const unused = listed.filter((folder) => !folder.specialUse && isOuter(folder, prefix) && !isMissing(folder));
  for (const folder of listed) {
    const { specialUse: use, specialUseSource: source } = folder;
    if (!use) continue;
    if (source !== 'name' || isOuter(folder, prefix)) give(folder, use);
    else give(namedFor(use, unused), use);
  }
  return roles;
}

/** A name as it is usual comes before one with further words, such as `Sent Mail`. */
function namedFor(use: string, folders: readonly ListResponse[]): ListResponse | undefined {
  const named = folders.map((folder) => ({ folder, ...useByName(false, folder) })).filter(({ flag }) => flag === use);
  return (named.find(({ source }) => source === 'name') ?? named[0])?.folder;
}

function isOuter({ parentPath, delimiter }: ListResponse, prefix: string): boolean {
  return parentPath === '' || parentPath.toUpperCase() === 'INBOX' || `${parentPath}${delimiter}` === prefix;
}

function isMissing({ flags }: Pick<ListResponse, 'flags'>): boolean {
  return flags.has('\\Noselect') || flags.has('\\NonExistent');
}
