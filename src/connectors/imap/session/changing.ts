import type { ImapFlow, MailboxObject } from 'imapflow';
import { MailError } from '../../mail-connector.ts';
import type { ImapConnection } from './connection.ts';
import { checkPath } from './folder-name.ts';
import { uidSets } from './uid-set.ts';

/** Of RFC 3501, section 9: an atom, or an atom after a backslash. */
const FLAG = /^\\?[^\s(){%*"\\\]\x00-\x1f\x7f-\uffff]+$/;

export interface FlagChange {
  add?: readonly string[];
  remove?: readonly string[];
}

export async function setFlags(
  connection: ImapConnection,
  path: string,
  uids: readonly number[],
  { add = [], remove = [] }: FlagChange,
): Promise<void> {
  if (uids.length === 0 || add.length + remove.length === 0) return;
  if (![...add, ...remove].every((flag) => FLAG.test(flag))) throw new MailError('refused', 'This is not a flag.');
  await connection.inFolder(path, 'write', async (folder) => {
    if (!add.every((flag) => canBeStored(folder, flag))) {
      throw new MailError('refused', 'The server does not store this flag in this folder.');
    }
    for (const { set } of uidSets(uids)) await store(connection, set, { add, remove });
  });
}

export async function moveEmails(
  connection: ImapConnection,
  path: string,
  uids: readonly number[],
  target: string,
): Promise<ReadonlyMap<number, number>> {
  const moved = new Map<number, number>();
  if (uids.length === 0) return moved;
  checkPath(target);
  const { client, inFolder, accepted } = connection;
  const wanted = new Set(uids);
  await inFolder(path, 'write', async () => {
    for (const { set } of uidSets(uids)) {
      const { uidMap } = client.capabilities.has('MOVE')
        ? accepted(await client.messageMove(set, target, { uid: true }))
        : await copyAndDelete(connection, set, target);
      for (const [from, to] of uidMap ?? []) if (wanted.has(from)) moved.set(from, to);
    }
  });
  return moved;
}

export async function expungeEmails(connection: ImapConnection, path: string, uids: readonly number[]): Promise<void> {
  if (uids.length === 0) return;
  if (!canExpunge(connection.client)) {
    throw new MailError('refused', 'The server cannot delete single emails for good.');
  }
  await connection.inFolder(path, 'write', async () => {
    for (const { set } of uidSets(uids)) {
      connection.accepted(await connection.client.messageDelete(set, { uid: true }));
    }
  });
}

export async function appendEmail(
  { client, inFolder, accepted }: ImapConnection,
  path: string,
  email: Uint8Array,
  flags: readonly string[],
): Promise<number | undefined> {
  if (!flags.every((flag) => FLAG.test(flag))) throw new MailError('refused', 'This is not a flag.');
  // imapflow leaves out flags that the open folder does not allow: it has to be the right one, and open for writing.
  return inFolder(path, 'write', async () => {
    const { uid } = accepted(await client.append(path, Buffer.from(email), [...flags]));
    // Otherwise the UID is a guess: that of the newest email.
    return client.capabilities.has('UIDPLUS') ? uid : undefined;
  });
}

/** Without UIDPLUS the originals stay, marked as deleted: a plain EXPUNGE would delete what other clients have marked. */
async function copyAndDelete(connection: ImapConnection, set: string, target: string) {
  const { client, accepted } = connection;
  const copied = accepted(await client.messageCopy(set, target, { uid: true }));
  if (canExpunge(client)) accepted(await client.messageDelete(set, { uid: true }));
  else await store(connection, set, { add: ['\\Deleted'], remove: [] });
  return copied;
}

async function store({ client, accepted }: ImapConnection, set: string, { add, remove }: Required<FlagChange>) {
  const options = { uid: true, silent: true };
  if (add.length > 0) accepted((await client.messageFlagsAdd(set, [...add], options)) || false);
  if (remove.length > 0) accepted((await client.messageFlagsRemove(set, [...remove], options)) || false);
}

/** imapflow leaves out what is not allowed, without a word. */
function canBeStored({ permanentFlags }: MailboxObject, flag: string): boolean {
  if (!permanentFlags || permanentFlags.has('\\*')) return true;
  return [...permanentFlags].some((known) => known.toLowerCase() === flag.toLowerCase());
}

function canExpunge({ capabilities }: ImapFlow): boolean {
  return capabilities.has('UIDPLUS');
}
