import { fstatSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { sharedRun } from '../lib/shared-run.ts';
import { clientUser } from './tcp-table.ts';

/** Which user of this machine is at the other end of a connection. */
export interface PeerUsers {
  /** Whether the system reports users of connections; otherwise a token is required. */
  canTell: boolean;
  /** Whether the client is a process of our own user. Undefined if that cannot be determined. */
  isOwn(socket: Socket): Promise<boolean | undefined> | boolean;
}

const TABLE = '/proc/self/net/tcp';

/** The kernel shows this user id for users that have none in our user namespace. */
const OVERFLOW_UID = '/proc/sys/kernel/overflowuid';

/** The kernel writes the table in parts, so that a change between two of them can hide an entry. */
const ATTEMPTS = 3;

/** The users of connections by the tables of Linux. They are read once per connection, together for concurrent ones. */
export function linuxPeerUsers(ownUser: number | undefined = process.geteuid?.()): PeerUsers {
  const read = sharedRun(() => Promise.all([readFile(TABLE, 'utf8'), readFile(`${TABLE}6`, 'utf8').catch(() => '')]));
  const known = new WeakMap<Socket, boolean>();

  async function userOf(socket: Socket): Promise<number | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const inode = inodeOf(socket);
      const user = inode === undefined ? undefined : clientUser(await read(), inode);
      if (user !== undefined) return user;
    }
    return undefined;
  }

  async function determine(socket: Socket): Promise<boolean | undefined> {
    const user = await userOf(socket).catch(() => undefined);
    if (user === undefined) return undefined;
    known.set(socket, user === ownUser);
    return user === ownUser;
  }

  return {
    canTell: canTell(ownUser),
    isOwn: (socket) => known.get(socket) ?? determine(socket),
  };
}

/** Our end of the connection: Node has no other name for it than the file descriptor. */
function inodeOf(socket: Socket): number | undefined {
  const { fd = -1 } = (socket as Socket & { _handle?: { fd?: number } | null })._handle ?? {};
  try {
    return fd < 0 ? undefined : fstatSync(fd).ino;
  } catch {
    return undefined;
  }
}

function canTell(ownUser: number | undefined): boolean {
  if (process.platform !== 'linux' || ownUser === undefined) return false;
  try {
    readFileSync(TABLE);
    return ownUser !== Number(readFileSync(OVERFLOW_UID, 'utf8'));
  } catch {
    return false;
  }
}
