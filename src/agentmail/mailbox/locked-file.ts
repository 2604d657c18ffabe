import { closeSync, fstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { flock, type LockKind } from '../../lib/flock.ts';
import { openRepositoryFile, statOf } from '../repository/repository-file.ts';

const MAIL_FOLDER = '.agentmail';
const TIMEOUT_MS = 5_000;
/** More than four thousand letters of the largest size. */
export const MAX_MAIL_FILE = 256 * 1024 * 1024;

interface LockOptions {
  kind: LockKind;
  /** Creates a missing file; otherwise nothing is done and undefined returned. */
  create?: boolean;
  maxBytes?: number;
}

/**
 * Runs work on a file of a mail folder under its lock. The lock is on the file itself, as in the original program.
 */
export async function withLockedFile<T>(
  path: string,
  options: LockOptions,
  work: (file: number) => T | Promise<T>,
): Promise<T | undefined> {
  const file = await openLocked(path, options);
  if (file === undefined) return undefined;
  try {
    return await work(file);
  } finally {
    closeSync(file);
  }
}

/** The file under its lock, which ends when the file is closed, also by the end of the process. */
export async function openLocked(
  path: string,
  { kind, create = false, maxBytes = MAX_MAIL_FILE }: LockOptions,
): Promise<number | undefined> {
  const access = kind === 'exclusive' ? 'write' : 'read';
  for (;;) {
    const file = openRepositoryFile(path, { within: rootOf(path), maxBytes, access, create });
    if (file === undefined) return undefined;
    try {
      await lock(file, path, kind);
      // Another program may have deleted the file in the meantime: nothing would read what is written to this one.
      if (isStillAt(path, file)) return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
    closeSync(file);
  }
}

/** The `.agentmail` folder that a file is in. */
export function mailFolderOf(path: string): string {
  if (basename(path) === MAIL_FOLDER) return path;
  const parent = dirname(path);
  if (parent === path) throw new AppError('CONFLICT', 'A path that is in no .agentmail folder is not used for mail.');
  return mailFolderOf(parent);
}

/** The root of the work tree whose mail folder a file is in. */
export function rootOf(path: string): string {
  return dirname(mailFolderOf(path));
}

async function lock(file: number, path: string, kind: LockKind): Promise<void> {
  let locked: boolean;
  try {
    locked = await flock(file, kind, TIMEOUT_MS);
  } catch (cause) {
    throw new AppError('SERVICE_UNAVAILABLE', (cause as Error).message, {
      hint: 'Install Switchboard again with optional packages.',
      cause,
    });
  }
  if (!locked) throw new AppError('BUSY', `${path} was locked by another program for ${TIMEOUT_MS / 1000} seconds`);
}

function isStillAt(path: string, file: number): boolean {
  const [held, there] = [fstatSync(file), statOf(path)];
  return there !== undefined && there.ino === held.ino && there.dev === held.dev;
}
