import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';

type Failure = 'busy' | 'full' | 'read-only' | 'unreachable' | 'damaged' | 'foreign';

/** SQLite's primary result codes, and what they mean to whoever runs the program. */
const FAILURE_OF_RESULT: Record<number, Failure> = {
  3: 'read-only', // SQLITE_PERM
  5: 'busy', // SQLITE_BUSY
  6: 'busy', // SQLITE_LOCKED
  8: 'read-only', // SQLITE_READONLY
  10: 'unreachable', // SQLITE_IOERR
  11: 'damaged', // SQLITE_CORRUPT
  13: 'full', // SQLITE_FULL
  14: 'unreachable', // SQLITE_CANTOPEN
  26: 'foreign', // SQLITE_NOTADB
};

const FAILURE_OF_ERRNO: Record<string, Failure> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read-only',
  EACCES: 'read-only',
  EPERM: 'read-only',
  ENOENT: 'unreachable',
  ENOTDIR: 'unreachable',
  EEXIST: 'unreachable', // a file where a folder belongs
  EISDIR: 'unreachable',
  EIO: 'unreachable',
};

/** Another connection has the lock: worth another try. */
export function isBusy(thrown: unknown): boolean {
  return failureOf(thrown) === 'busy';
}

/** The connection itself may be spoilt (opened read-only, its file gone): only a new one can recover. */
export function breaksConnection(thrown: unknown): boolean {
  const failure = failureOf(thrown);
  return failure !== undefined && failure !== 'busy' && failure !== 'full';
}

/** The place it was to be written to is the trouble, not what is written. */
export function isDiskFailure(thrown: unknown): boolean {
  const failure = failureOf(thrown);
  return failure === 'full' || failure === 'read-only' || failure === 'unreachable';
}

/** What SQLite or the file system said, as an error its reader can act on. A bug is handed back as it is. */
export function toStoreError(thrown: unknown, location: string): unknown {
  const failure = failureOf(thrown);
  if (failure === undefined) return thrown;
  return storeError(failure === 'unreachable' && isReadOnly(location) ? 'read-only' : failure, location, thrown);
}

function storeError(failure: Failure, location: string, cause: unknown): AppError {
  switch (failure) {
    case 'busy':
      return new AppError('SERVICE_UNAVAILABLE', `Another program keeps the store locked (${location}).`, {
        hint: 'Close what else uses this file, such as a database browser; then try again.',
        cause,
      });
    case 'full':
      return new AppError('SERVICE_UNAVAILABLE', `The disk is full; nothing was changed (${location}).`, {
        hint: 'Free some space on that disk; everything stored is intact, and no restart is needed.',
        cause,
      });
    case 'read-only':
      return new AppError('SERVICE_UNAVAILABLE', `Nothing can be written here: it is read-only (${location}).`, {
        hint: 'Make the file and its folder writable for this user, on a disk mounted for writing; no restart is needed.',
        cause,
      });
    case 'unreachable':
      return new AppError('SERVICE_UNAVAILABLE', `The file cannot be used (${location}).`, {
        hint: 'See that the file and its folder are there, belong to this user, and that their disk works.',
        cause,
      });
    case 'damaged':
      return new AppError('CONFLICT', `The store's file is damaged (${location}).`, {
        hint: 'Run "switchboard db check", and put a backup in its place if that finds problems.',
        cause,
      });
    case 'foreign':
      return new AppError('CONFLICT', `The file is not a store of Switchboard (${location}).`, {
        hint: 'Move that file away, or set SWITCHBOARD_HOME to another folder.',
        cause,
      });
  }
}

function failureOf(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code, errcode } = thrown as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return FAILURE_OF_RESULT[errcode & 0xff];
  return typeof code === 'string' ? FAILURE_OF_ERRNO[code] : undefined;
}

/** SQLite says "unable to open" where the disk is read-only and the files beside the store cannot be made. */
function isReadOnly(location: string): boolean {
  if (!existsSync(location)) return false;
  try {
    accessSync(location, constants.W_OK);
    accessSync(dirname(location), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}
