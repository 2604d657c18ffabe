import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';

/**
 * A folder and files that only the owner may read. What other users can read is refused and not repaired, because it
 * may have been read.
 */

/** Suffix of files that are being written. The holder of the lock may remove them. */
export const TEMPORARY_SUFFIX = '.tmp';

/** Whether the folder exists. Throws if other users can access it. */
export async function isPrivateFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch((cause: unknown) => undefinedIfMissing(path, cause));
  if (!stats) return false;
  if (!stats.isDirectory()) throw new AppError('SERVICE_UNAVAILABLE', `${path} is not a folder.`);
  assertPrivate(path, stats, '700');
  return true;
}

export async function makePrivateFolder(path: string): Promise<void> {
  try {
    if (!(await isPrivateFolder(path))) await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

export async function readPrivate(path: string): Promise<Buffer | undefined> {
  const file = await openToRead(path);
  if (!file) return undefined;
  try {
    assertPrivate(path, await file.stat(), '600');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Atomic and durable: until it returns, the file has its previous content. */
export async function writePrivate(path: string, content: string | Buffer): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}${TEMPORARY_SUFFIX}`);
  try {
    await writeNew(temporary, content);
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {});
    throw cannotWrite(path, cause);
  }
}

export async function removePrivate(path: string): Promise<void> {
  try {
    await rm(path);
    await syncFolder(dirname(path));
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

async function openToRead(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (cause) {
    return undefinedIfMissing(path, cause);
  }
}

async function writeNew(path: string, content: string | Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function assertPrivate(path: string, { mode, uid }: { mode: number; uid: number }, wanted: string): void {
  if (uid !== process.geteuid?.()) {
    throw new AppError('SERVICE_UNAVAILABLE', `${path} belongs to another user.`, { hint: howToOwn(path, wanted) });
  }
  if ((mode & 0o077) !== 0) {
    throw new AppError('SERVICE_UNAVAILABLE', `${path} can be read by other users of this machine.`, {
      hint: `chmod ${wanted} '${path}', and replace secrets that others may have read.`,
    });
  }
}

function howToOwn(path: string, mode: string): string {
  return `chown "$(id -u)" '${path}' && chmod ${mode} '${path}'`;
}

function cannotWrite(path: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const why = codeOf(cause) === 'ENOSPC' ? 'the disk is full' : 'the file system refused it';
  return new AppError('SERVICE_UNAVAILABLE', `${path} could not be written: ${why}.`, { cause });
}

function undefinedIfMissing(path: string, cause: unknown): undefined {
  if (codeOf(cause) === 'ENOENT') return undefined;
  throw new AppError('SERVICE_UNAVAILABLE', `${path} cannot be read.`, { cause });
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
