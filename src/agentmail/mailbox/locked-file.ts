import { closeSync, constants, fstatSync, fsyncSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { flock, type LockKind } from '../../lib/flock.ts';

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const MAIL_FOLDER = '.agentmail';
const TIMEOUT_MS = 5_000;
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o600;

interface LockOptions {
  kind: LockKind;
  /** Creates a missing file; otherwise nothing is done and undefined returned. */
  create?: boolean;
}

/**
 * Runs work on a file of a mail folder under its lock. The lock is on the file itself, as in the original program.
 * Symbolic links are never followed: they would redirect mail.
 */
export async function withLockedFile<T>(
  path: string,
  { kind, create = false }: LockOptions,
  work: (file: number) => T | Promise<T>,
): Promise<T | undefined> {
  for (;;) {
    const file = openFile(path, kind, create);
    if (file === undefined) return undefined;
    try {
      await lock(file, path, kind);
      // Another program may have deleted the file in the meantime: nothing would read what is written to this one.
      if (isStillAt(path, file)) return await work(file);
    } finally {
      closeSync(file);
    }
  }
}

/** The `.agentmail` folder that a file is in. */
export function mailFolderOf(path: string): string {
  return basename(path) === MAIL_FOLDER ? path : mailFolderOf(dirname(path));
}

/** Creates the folders of a path from `.agentmail` on, and refuses any that is not a real folder. */
export function prepareFolder(folder: string): void {
  if (basename(folder) !== MAIL_FOLDER) prepareFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
    syncFolder(dirname(folder));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw cannot('be made', folder, error);
  }
  requireFolder(folder);
}

/** Whether it exists; fails if it is not a real folder. */
export function requireFolder(folder: string): boolean {
  const found = statOf(folder);
  if (found && !found.isDirectory()) throw refused(folder, found.isSymbolicLink() ? 'a symbolic link' : 'no folder');
  return found !== undefined;
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/** A disk error, in our own wording. */
export function cannot(what: string, path: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : 'unknown');
  return new AppError('SERVICE_UNAVAILABLE', `${path} cannot ${what}: ${reason}`, { cause });
}

const REASONS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EFBIG: 'the file is too large',
  EIO: 'the disk failed',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
};

function openFile(path: string, kind: LockKind, create: boolean): number | undefined {
  // Non-blocking, because opening a named pipe would wait for its other end.
  const flags = (kind === 'exclusive' ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK;
  checkFolders(dirname(path), create);
  try {
    return openSync(path, flags);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw openingFailed(path, error);
  }
  if (!create) return undefined;
  try {
    const file = openSync(path, flags | O_CREAT, FILE_MODE);
    syncFolder(dirname(path));
    return file;
  } catch (error) {
    throw openingFailed(path, error);
  }
}

function checkFolders(folder: string, create: boolean): void {
  for (let each = folder; ; each = dirname(each)) {
    if (!requireFolder(each)) {
      if (create) prepareFolder(folder);
      return;
    }
    if (basename(each) === MAIL_FOLDER) return;
  }
}

async function lock(file: number, path: string, kind: LockKind): Promise<void> {
  if (!fstatSync(file).isFile()) throw refused(path, 'no ordinary file');
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

/** An error of opening a file without following links. */
export function openingFailed(path: string, error: unknown): AppError {
  if (hasCode(error, 'ELOOP', 'EMLINK')) return refused(path, 'a symbolic link');
  if (hasCode(error, 'EISDIR', 'ENXIO')) return refused(path, 'no ordinary file');
  return cannot('be opened', path, error);
}

function refused(path: string, what: string): AppError {
  return new AppError('CONFLICT', `${path} is ${what}, which is not used for mail`);
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** A new directory entry survives a power loss only after this. */
export function syncFolder(folder: string): void {
  const opened = openSync(folder, O_RDONLY);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
