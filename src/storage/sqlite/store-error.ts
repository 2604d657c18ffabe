import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';

type Failure = 'busy' | 'full' | 'read-only' | 'unreachable' | 'damaged' | 'foreign';

/** SQLite's primary result codes. */
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

/** Another connection holds the lock, so a retry may succeed. */
export function isBusy(thrown: unknown): boolean {
  return failureOf(thrown) === 'busy';
}

/** The connection may be unusable (opened read-only, file removed): only a new one can recover. */
export function breaksConnection(thrown: unknown): boolean {
  const failure = failureOf(thrown);
  return failure !== undefined && failure !== 'busy' && failure !== 'full';
}

/** The target file or its disk failed, not the data. */
export function isDiskFailure(thrown: unknown): boolean {
  const failure = failureOf(thrown);
  return failure === 'full' || failure === 'read-only' || failure === 'unreachable';
}

/**
 * Converts an error of SQLite or the file system into one that the user can act on. Other errors are bugs and
 * returned unchanged.
 */
export function toStoreError(thrown: unknown, location: string): unknown {
  const failure = failureOf(thrown);
  if (failure === undefined) return thrown;
  return storeError(failure === 'unreachable' && isReadOnly(location) ? 'read-only' : failure, location, thrown);
}

function storeError(failure: Failure, location: string, cause: unknown): AppError {
  switch (failure) {
    case 'busy':
      return new AppError('SERVICE_UNAVAILABLE', `Another program holds a lock on the store (${location}).`, {
        hint: 'Close other programs that use this file, such as a database browser, then try again.',
        cause,
      });
    case 'full':
      // An operation of several transactions has stored the ones before.
      return new AppError('SERVICE_UNAVAILABLE', `The disk is full; a change could not be stored (${location}).`, {
        hint: 'Free some space on that disk, then try again. Stored data is intact, and no restart is needed.',
        cause,
      });
    case 'read-only':
      return new AppError('SERVICE_UNAVAILABLE', `The file or its folder is read-only (${location}).`, {
        hint: 'Make the file and its folder writable for this user, on a disk that is not mounted read-only. No restart is needed.',
        cause,
      });
    case 'unreachable':
      return new AppError('SERVICE_UNAVAILABLE', `The file cannot be opened (${location}).`, {
        hint: 'Check that the file and its folder exist, that they belong to this user, and that the disk works.',
        cause,
      });
    case 'damaged':
      return new AppError('CONFLICT', `The store's file is damaged (${location}).`, {
        hint: '`switchboard db restore FILE` puts a backup in its place and keeps this file. While the store can be opened, `switchboard db check` names the problems.',
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

/** SQLite reports "unable to open" on a read-only disk, because it cannot create the WAL. */
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
