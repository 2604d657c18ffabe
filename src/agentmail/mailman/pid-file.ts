import { closeSync, fstatSync, ftruncateSync, realpathSync, writeSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { flock } from '../../lib/flock.ts';
import { openRepositoryFile, readAt, removeFile, statOf } from '../repository/repository-file.ts';
import { runsCommand, startOf, workingFolderOf } from './own-processes.ts';

/** A process that only checks the file holds its lock briefly. */
const TIMEOUT_MS = 300;
/** A pid has up to ten digits. */
const MAX_BYTES = 64;
/** The start of a process is known to the second, by another clock than the time of a file. */
const START_TOLERANCE_MS = 3_000;

export type Claim =
  /** `wasStale`: it named a mailman that is not running. */
  { kind: 'claimed'; wasStale: boolean; release(): void } | { kind: 'running'; pid: number };

/**
 * One mailman per mail folder. The lock on the file decides, which ends with its process; the pid in it is for users
 * and for the original program. That one takes no lock: it counts while the process that wrote the file runs.
 */
export async function claimPidFile(path: string): Promise<Claim> {
  for (;;) {
    const file = openOwn(path);
    const claim = await tryClaim(path, file).catch((thrown) => {
      closeSync(file);
      throw thrown;
    });
    if (claim?.kind === 'claimed') return claim;
    closeSync(file);
    if (claim) return claim;
  }
}

function openOwn(path: string): number {
  const file = openRepositoryFile(path, { within: rootOf(path), maxBytes: MAX_BYTES, access: 'write', create: true });
  if (file === undefined) throw new Error(`${path} was not made`);
  return file;
}

/** Undefined: the file was removed by the mailman that held it. */
async function tryClaim(path: string, file: number): Promise<Claim | undefined> {
  const isFree = await flock(file, 'exclusive', TIMEOUT_MS);
  if (!isSameFile(path, file)) return undefined;
  const before = readAt(file, 0, MAX_BYTES).toString('utf8');
  const pid = pidIn(before);
  if (!isFree) return { kind: 'running', pid: pid ?? 0 };
  if (pid !== undefined && pid !== process.pid && (await isRunningOriginal(pid, path, file)))
    return { kind: 'running', pid };
  const text = `${process.pid}\n`;
  // Truncated after writing, so that a concurrent reader finds a pid.
  writeSync(file, text, 0);
  ftruncateSync(file, text.length);
  return { kind: 'claimed', wasStale: before !== '', release: () => release(path, file) };
}

/** The pid of the mailman that holds this file, if it is running. */
export async function runningMailman(path: string): Promise<{ pid: number } | undefined> {
  const file = openIfUsable(path);
  if (file === undefined) return undefined;
  try {
    const pid = pidIn(readAt(file, 0, MAX_BYTES).toString('utf8'));
    const isLocked = !(await flock(file, 'shared', 0));
    return pid !== undefined && (isLocked || (await isRunningOriginal(pid, path, file))) ? { pid } : undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Whether an unlocked file is of a mailman of the original program that runs. A file that was copied, or left over, may
 * have the pid of another process: that one was started after it, works elsewhere, or is no mailman.
 */
async function isRunningOriginal(pid: number, path: string, file: number): Promise<boolean> {
  if (!(await runsCommand(pid, 'mailman'))) return false;
  const startedAt = await startOf(pid);
  if (startedAt === undefined || startedAt > fstatSync(file).mtimeMs + START_TOLERANCE_MS) return false;
  const folder = await workingFolderOf(pid);
  return folder === undefined || !relative(realpathSync(rootOf(path)), folder).startsWith('..');
}

function openIfUsable(path: string): number | undefined {
  try {
    return openRepositoryFile(path, { within: rootOf(path), maxBytes: MAX_BYTES });
  } catch {
    return undefined;
  }
}

function pidIn(text: string): number | undefined {
  const number = /^\s*(\d{1,10})\s*$/.exec(text)?.[1];
  return number === undefined || Number(number) === 0 ? undefined : Number(number);
}

function isSameFile(path: string, file: number): boolean {
  const there = statOf(path);
  const { ino, dev } = fstatSync(file);
  return there?.ino === ino && there.dev === dev;
}

function release(path: string, file: number): void {
  if (isSameFile(path, file)) removeFile(path, rootOf(path));
  closeSync(file);
}

/** The folder with the mail folder that the file is in. */
function rootOf(path: string): string {
  return dirname(dirname(path));
}
