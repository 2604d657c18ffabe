import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { homeOf as homeIn } from '../lib/home-path.ts';
import { makeFolder } from '../lib/make-folder.ts';

const FOLDERS = ['run', 'logs', 'secrets'] as const;
const OWNER_ONLY = 0o700;

/** The home of this environment, if it is known. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return homeIn(env);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The home of the user is not known.', {
      hint: 'Set SWITCHBOARD_HOME to the folder that is to hold everything.',
      cause,
    });
  }
}

/** Makes the home and its folders, readable by the owner alone. */
export function ensureHome(home: string, user = process.getuid?.()): void {
  for (const folder of [home, ...FOLDERS.map((name) => join(home, name))]) {
    try {
      ensureFolder(folder, user);
    } catch (error) {
      throw error instanceof AppError ? error : cannotMake(folder, error);
    }
  }
}

function ensureFolder(folder: string, user: number | undefined): void {
  makeFolder(folder);
  const { uid, mode } = statSync(folder);
  if (user !== undefined && uid !== user) {
    throw new AppError('FORBIDDEN', `The folder ${folder} belongs to another user.`, { hint: ANOTHER_HOME });
  }
  // A sticky folder such as /tmp is shared and is left unchanged.
  if ((mode & 0o1777) !== OWNER_ONLY && (mode & 0o1000) === 0) chmodSync(folder, OWNER_ONLY);
}

const ANOTHER_HOME = 'SWITCHBOARD_HOME can name another folder.';

const REASONS: Readonly<Record<string, [code: 'CONFLICT' | 'FORBIDDEN' | 'SERVICE_UNAVAILABLE', reason: string]>> = {
  ENOENT: ['SERVICE_UNAVAILABLE', 'no folder can be made there'],
  EEXIST: ['CONFLICT', 'a file of this name is there'],
  ENOTDIR: ['CONFLICT', 'a part of its path is a file'],
  EACCES: ['FORBIDDEN', 'the permission is missing'],
  EPERM: ['FORBIDDEN', 'the permission is missing'],
  EROFS: ['SERVICE_UNAVAILABLE', 'the disk is read-only'],
  ENOSPC: ['SERVICE_UNAVAILABLE', 'the disk is full'],
};

function cannotMake(folder: string, cause: unknown): AppError {
  const errno = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const [code, reason] = REASONS[errno] ?? ['SERVICE_UNAVAILABLE', 'the system refused'];
  return new AppError(code, `The folder ${folder} cannot be made: ${reason}.`, { hint: ANOTHER_HOME, cause });
}
