import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import { TEMPORARY_SUFFIX } from './private-files.ts';

const OWNER = /^\.lock-(\d+)-(\d+)-[0-9a-f]{16}$/;
const PATIENCE_MS = 10_000;

/** Runs one task at a time in this folder, among all processes. */
export type Lock = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Who wants the lock creates a file that is named after itself, and has it when nobody else's file is there. Two that
 * come at once see each other and both step back. A name is never used twice, so that the file of a dead process can be
 * removed by everyone at any time: with one common file, two who find it stale can each remove the other's new one.
 */
export function createLock(folder: string, patienceMs: number = PATIENCE_MS): Lock {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = last.then(() => runLocked(folder, patienceMs, task));
    last = turn.catch(() => {});
    return turn;
  };
}

async function runLocked<T>(folder: string, patienceMs: number, task: () => Promise<T>): Promise<T> {
  const mine = `.lock-${process.pid}-${(await startOf(process.pid))?.start ?? 0}-${randomBytes(8).toString('hex')}`;
  await acquire(folder, mine, performance.now() + patienceMs);
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

/** Creates our file; who was faster, if somebody was, and then our file is gone again. */
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
  // Without /proc a process that was given the same number cannot be told apart; the lock's error says what to do.
  return found === undefined || (found.start === start && !found.ended);
}

/** When a process was started, in the kernel's own count, and whether it only waits for its parent to notice its end. */
async function startOf(pid: number): Promise<{ start: string; ended: boolean } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields?.[0], fields?.[19]];
  return state === undefined || start === undefined ? undefined : { start, ended: state === 'Z' || state === 'X' };
}

/** Files are written by the holder of the lock alone, so these were left by one that was killed. */
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
