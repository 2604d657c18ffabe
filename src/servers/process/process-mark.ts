import { createHash, randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Variable in the environment of every server, inherited by what it starts: finds processes that left their group.
 * Without the prefix of our configuration variables, so that `switchboard` inside a server does not complain about it.
 */
export const MARK_VARIABLE = 'MCP_SWITCHBOARD_PROCESS';

const HASH_LENGTH = 16;

/** Beginning of the marks of all servers of a home, whichever process started them. */
export function homeMark(home: string): string {
  return `${createHash('sha256').update(realPath(home)).digest('hex').slice(0, HASH_LENGTH)}.`;
}

/** Beginning of the marks of all servers that this process starts. */
export function ownerMark(home: string): string {
  return `${homeMark(home)}${randomHex()}.`;
}

/** The mark of one server's process and its descendants. */
export function newMark(owner: string): string {
  return owner + randomHex();
}

function randomHex(): string {
  return randomBytes(8).toString('hex');
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
