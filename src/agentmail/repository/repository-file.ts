import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { AppError } from '../../domain/errors.ts';

/*
 * The only module that opens, lists or changes files of a Git repository. A clone or an archive can bring anything:
 * links, pipes, devices, files of any size. See docs/adr/0014-a-repository-is-untrusted.md.
 */

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o600;
const SMALL_FOLDER = 64 * 1024;
const OWN_USER = process.getuid?.();

export interface RepositoryFileOptions {
  /** A folder that the user chose, such as the root of a work tree: below it, no link is followed. */
  within: string;
  /** A larger file is refused. */
  maxBytes: number;
  access?: 'read' | 'write' | 'append' | 'replace';
  /** Creates a missing file and its folders. */
  create?: boolean;
  /** Of a new file; otherwise only this user can read it. */
  mode?: number;
  /** Git's own files may belong to another user: they are only read, and nothing in them is trusted. */
  ofAnyUser?: boolean;
}

const FLAGS = { read: O_RDONLY, write: O_RDWR, append: O_RDWR | O_APPEND, replace: O_RDWR };
const MAX_ATTEMPTS = 20;

/** Opens a regular file of this user. Undefined if it does not exist; fails with CONFLICT if it is anything else. */
export function openRepositoryFile(path: string, options: RepositoryFileOptions): number | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const opened = tryOpen(path, options);
    if (opened !== 'replaced') return opened;
  }
  throw refused(path, 'replaced again and again');
}

function tryOpen(path: string, options: RepositoryFileOptions): number | undefined | 'replaced' {
  const { within, access = 'read', create = false, ofAnyUser = false } = options;
  if (!hasFolders(dirname(path), within, ofAnyUser) && !create) return undefined;
  const found = statOf(path);
  if (!found && !create) return undefined;
  // Checked before opening, too: opening a device can change its state.
  if (found) requireRegular(path, found, options);
  else prepareFolder(dirname(path), within);
  const file = openWithoutFollowing(path, FLAGS[access] | (create ? O_CREAT : 0), options.mode ?? FILE_MODE);
  if (file === undefined) return create ? 'replaced' : undefined;
  if (!found) syncFolder(dirname(path));
  try {
    const opened = fstatSync(file);
    requireRegular(path, opened, options);
    if (hasFolders(dirname(path), within, ofAnyUser) && isSame(opened, statOf(path))) {
      if (access === 'replace') ftruncateSync(file);
      return file;
    }
  } catch (error) {
    closeSync(file);
    throw error;
  }
  // Removed by another program, or opened through a link that is gone by now.
  closeSync(file);
  return 'replaced';
}

/** The content of a file. Undefined if it does not exist. */
export function readRepositoryFile(
  path: string,
  options: Omit<RepositoryFileOptions, 'access' | 'create'>,
): Buffer | undefined {
  const file = openRepositoryFile(path, options);
  if (file === undefined) return undefined;
  try {
    return readAt(file, 0, Math.min(fstatSync(file).size, options.maxBytes));
  } catch (error) {
    throw cannot('be read', path, error);
  } finally {
    closeSync(file);
  }
}

/** Reads up to `length` bytes from a position; fewer at the end of the file. */
export function readAt(file: number, position: number, length: number): Buffer<ArrayBuffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, buffer, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

/** The names in a folder, at most `max`. Empty if the folder does not exist. */
export function listFolder(
  folder: string,
  { within, max, ofAnyUser = false }: { within: string; max: number; ofAnyUser?: boolean },
): string[] {
  if (!hasFolders(folder, within, ofAnyUser)) return [];
  // Faster, and the size of a folder grows with the number of its files.
  if ((statOf(folder)?.size ?? 0) <= SMALL_FOLDER) return readdirSync(folder).slice(0, max);
  const names: string[] = [];
  const opened = opendirSync(folder);
  try {
    for (let entry = opened.readSync(); entry && names.length < max; entry = opened.readSync()) names.push(entry.name);
  } finally {
    opened.closeSync();
  }
  return names;
}

/** Creates the folders of a path below `within`, and refuses any that is not a real folder of this user. */
export function prepareFolder(folder: string, within: string): void {
  for (const each of foldersBetween(folder, within)) {
    if (statOf(each)) {
      requireFolder(each);
      continue;
    }
    try {
      mkdirSync(each, { mode: FOLDER_MODE });
      syncFolder(dirname(each));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw cannot('be made', each, error);
    }
    requireFolder(each);
  }
}

/** Whether it exists; fails if it is not a real folder of this user. */
export function requireFolder(folder: string, ofAnyUser = false): boolean {
  const found = statOf(folder);
  if (found && !found.isDirectory()) throw refused(folder, found.isSymbolicLink() ? 'a symbolic link' : 'no folder');
  if (found && !ofAnyUser && !isOwn(found)) throw refused(folder, "another user's");
  return found !== undefined;
}

/** Renames within a folder of the repository, whatever kind of file it is. False if there is none. */
export function renameWithin(folder: string, from: string, to: string, within: string): boolean {
  if (!hasFolders(folder, within)) return false;
  try {
    renameSync(join(folder, from), join(folder, to));
    syncFolder(folder);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw cannot('be renamed', join(folder, from), error);
  }
}

export function removeFile(path: string, within: string): void {
  if (!hasFolders(dirname(path), within)) return;
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}

/** Sets the modification time; does nothing if the file does not exist. */
export function touch(path: string): void {
  const now = new Date();
  try {
    lutimesSync(path, now, now);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw cannot('be changed', path, error);
  }
}

/** A new directory entry survives a power loss only after this. */
function syncFolder(folder: string): void {
  const opened = openSync(folder, O_RDONLY);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
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

export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return undefined;
    throw cannot('be opened', path, error);
  }
}

/** Whether all folders of a path below `within` exist. Fails if one is a link, no folder or another user's. */
function hasFolders(folder: string, within: string, ofAnyUser = false): boolean {
  return foldersBetween(folder, within).every((each) => requireFolder(each, ofAnyUser));
}

/** Outermost first. Without functions for paths, which take most of the time, where the path is a plain one. */
function foldersBetween(folder: string, within: string): string[] {
  if (folder === within) return [];
  const isPlain = folder.startsWith(`${within}${sep}`) && !/\/\.{0,2}(?:\/|$)/.test(folder);
  const path = isPlain ? folder.slice(within.length + 1) : relative(within, folder);
  if (path === '') return [];
  const names = path.split(sep);
  if (names.includes('..') || path.startsWith(sep)) throw refused(folder, `outside ${within}`);
  let at = isPlain ? within : join(within);
  return names.map((name) => {
    at = `${at}${at.endsWith(sep) ? '' : sep}${name}`;
    return at;
  });
}

function openWithoutFollowing(path: string, flags: number, mode: number): number | undefined {
  try {
    // Non-blocking, because opening a named pipe would wait for its other end.
    return openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, mode);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw refused(path, 'a symbolic link');
    if (hasCode(error, 'EISDIR', 'ENXIO')) throw refused(path, 'no ordinary file');
    throw cannot('be opened', path, error);
  }
}

function requireRegular(path: string, found: Stats, { maxBytes, ofAnyUser = false }: RepositoryFileOptions): void {
  if (found.isSymbolicLink()) throw refused(path, 'a symbolic link');
  if (!found.isFile()) throw refused(path, 'no ordinary file');
  if (!ofAnyUser && !isOwn(found)) throw refused(path, "another user's");
  // Writing to it would change a file elsewhere.
  if (!ofAnyUser && found.nlink > 1) throw refused(path, 'a hard link');
  if (found.size > maxBytes) throw refused(path, `larger than ${maxBytes} bytes`);
}

function isSame(opened: Stats, there: Stats | undefined): boolean {
  return there?.ino === opened.ino && there.dev === opened.dev;
}

function isOwn({ uid }: Stats): boolean {
  return OWN_USER === undefined || uid === OWN_USER;
}

function refused(path: string, what: string): AppError {
  return new AppError('CONFLICT', `${path} is ${what}, which is not used for mail`);
}
