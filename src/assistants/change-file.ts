import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';

/** How often to begin anew when the file is changed by its own program in between. */
const TRIES = 5;

/** Changes a file of another program: whole or not at all, with what it was beside it. */
export async function changeFile(
  path: string,
  now: number,
  change: (text: string) => string,
): Promise<{ path: string; changed: boolean; backup?: string }> {
  try {
    // A link, as managers of dotfiles make them, stays one.
    const target = await realpath(path).catch(() => path);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await read(target);
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

async function read(path: string): Promise<string | undefined> {
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
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.partial`);
  try {
    const mode = before === undefined ? 0o600 : (await stat(path)).mode & 0o777;
    await writeWhole(partial, after, mode);
    if ((await read(path)) !== before) return 'meanwhile changed';
    const backup = before === undefined ? undefined : `${path}.backup-${timestamp(now)}`;
    if (backup !== undefined) await copyFile(path, backup);
    await rename(partial, path);
    return backup;
  } finally {
    await rm(partial, { force: true });
  }
}

async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    // What the umask took away belongs to the file as it was.
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
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
