import { copyFile, readFile, realpath, rm, stat } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import { replaceFile } from '../lib/replace-file.ts';

/** Number of retries when the assistant changes the file in between. */
const TRIES = 5;

export interface ChangedFile {
  path: string;
  changed: boolean;
  backup?: string;
}

/** Changes a file of another program atomically, with a backup beside it. */
export async function changeFile(path: string, now: number, change: (text: string) => string): Promise<ChangedFile> {
  try {
    // A link, as dotfile managers create them, is kept.
    const target = await realpath(path).catch(() => path);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await readText(target);
      const after = change(before ?? '');
      if (after === before) return { path, changed: false };
      const backup = await replace(target, before, after, now);
      if (backup !== 'meanwhile changed') return { path, changed: true, ...(backup === undefined ? {} : { backup }) };
    }
  } catch (error) {
    throw error instanceof AppError ? error : cannotChange(path, error);
  }
  throw new AppError('BUSY', `${path} is being changed by another program.`, {
    hint: 'End that program and try again.',
  });
}

/** Makes a file what it was, without a backup; `undefined` deletes it. False if it is not `current` any more. */
export async function restoreFile(path: string, current: string, before: string | undefined): Promise<boolean> {
  try {
    const target = await realpath(path);
    const isCurrent = async () => (await readText(target)) === current;
    if (before !== undefined) return await replaceFile(target, before, (await stat(target)).mode & 0o777, isCurrent);
    if (!(await isCurrent())) return false;
    await rm(target);
    return true;
  } catch (error) {
    throw cannotChange(path, error);
  }
}

/** Whether other users of the machine can read a file. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o044) !== 0;
}

/** The text of a file; undefined where there is none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function replace(
  path: string,
  before: string | undefined,
  after: string,
  now: number,
): Promise<string | undefined | 'meanwhile changed'> {
  const mode = before === undefined ? 0o600 : (await stat(path)).mode & 0o777;
  const backup = before === undefined ? undefined : `${path}.backup-${timestamp(now)}`;
  const isReplaced = await replaceFile(path, after, mode, async () => {
    if ((await readText(path)) !== before) return false;
    if (backup !== undefined) await copyFile(path, backup);
    return true;
  });
  return isReplaced ? backup : 'meanwhile changed';
}

function timestamp(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:.]/g, '');
}

function cannotChange(path: string, cause: unknown): AppError {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const hint = '`--print` shows the entry, to be put in by hand.';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new AppError('CONFLICT', `${path} is no text; it was left as it is.`, { hint, cause });
  }
  const isForbidden = ['EACCES', 'EPERM', 'EROFS'].includes(code);
  return new AppError(isForbidden ? 'FORBIDDEN' : 'SERVICE_UNAVAILABLE', `${path} cannot be changed.`, { hint, cause });
}
