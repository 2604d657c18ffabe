import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import { TEMPORARY_SUFFIX } from './private-files.ts';

const OWNER = /^\.lock-(\d+)-(\d+)-[0-9a-f]{16}$/;
const TIMEOUT_MS = 10_000;

/** Runs one task at a time in this folder, across all processes. */
export type FolderLock = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * A process that wants the lock creates a file with its own unique name, and holds the lock if no file of another
 * process exists. Two concurrent ones see each other, and both back off and retry. A name is never reused, so any
 * process can remove the file of a dead one at any time: with one shared file, two processes that find it stale could
 * each remove the other's new one.
 */
export function createFolderLock(folder: string, timeoutMs: number = TIMEOUT_MS): FolderLock {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = last.then(() => runLocked(folder, timeoutMs, task));
    last = turn.catch(() => {});
    return turn;
  };
}

async function runLocked<T>(folder: string, timeoutMs: number, task: () => Promise<T>): Promise<T> {
  const mine = `.lock-${process.pid}-${(await startOf(process.pid))?.start ?? 0}-${randomBytes(8).toString('hex')}`;
  await acquire(folder, mine, performance.now() + timeoutMs);
  try {
    await removeUnfinished(folder);
    return await task();
  } finally {
    await rm(join(folder, mine), { force: true });
  }
}

async function acquire(folder: string, mine: string, deadline: number): Promise<void> {
  for (;;) {
    const holder = (await otherHolder(folder, mine)) ?? (await announce(folder, mine));
    if (holder === undefined) return;
    if (performance.now() > deadline) throw busy(folder, holder);
    await wait(2 + Math.random() * 20);
  }
}

/** Creates our file. Returns the holder if another process was faster, after removing our file again. */
async function announce(folder: string, mine: string): Promise<string | undefined> {
  try {
    await (await open(join(folder, mine), 'wx', 0o600)).close();
  } catch (cause) {
    throw new AppError('SERVICE_UNAVAILABLE', `${folder} cannot be written to.`, { cause });
  }
  const holder = await otherHolder(folder, mine);
  if (holder !== undefined) await rm(join(folder, mine), { force: true });
  return holder;
}

async function otherHolder(folder: string, mine: string): Promise<string | undefined> {
  for (const file of await readdir(folder)) {
    const [, pid, start] = OWNER.exec(file) ?? [];
    if (file === mine || pid === undefined || start === undefined) continue;
    if (await isRunning(Number(pid), start)) return file;
    await rm(join(folder, file), { force: true });
  }
  return undefined;
}

async function isRunning(pid: number, start: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
  const found = await startOf(pid);
  // Without /proc a reused process id cannot be detected; the lock's error has a hint.
  return found === undefined || (found.start === start && !found.ended);
}

/** Start time of a process in kernel ticks, and whether it is a zombie. */
async function startOf(pid: number): Promise<{ start: string; ended: boolean } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields?.[0], fields?.[19]];
  return state === undefined || start === undefined ? undefined : { start, ended: state === 'Z' || state === 'X' };
}

/** Only the holder of the lock writes files, so these are left over from a killed process. */
async function removeUnfinished(folder: string): Promise<void> {
  const files = await readdir(folder);
  await Promise.all(
    files.filter((file) => file.endsWith(TEMPORARY_SUFFIX)).map((file) => rm(join(folder, file), { force: true })),
  );
}

function busy(folder: string, holder: string): AppError {
  const pid = OWNER.exec(holder)?.[1];
  return new AppError('BUSY', `Another process (${pid}) is changing the secrets.`, {
    hint: `Try again; if process ${pid} is not Switchboard, remove ${join(folder, holder)}.`,
  });
}
