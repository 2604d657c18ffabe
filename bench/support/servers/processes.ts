import { readdirSync, readFileSync } from 'node:fs';

export interface TargetProcesses {
  gateway: readonly number[];
  upstream: readonly number[];
}

interface Seen {
  pid: number;
  parent: number;
  isMarked: boolean;
  program: string | undefined;
}

/**
 * The processes of a target: those with its mark in their environment, and their descendants. The servers behind it are
 * those whose program is `upstream`.
 */
export function processesOf(mark: string, upstream: string): TargetProcesses {
  const seen = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => see(Number(name), mark));
  const own = new Map(seen.filter(({ isMarked }) => isMarked).map((one) => [one.pid, one]));
  for (let size = 0; size !== own.size; ) {
    size = own.size;
    for (const one of seen) if (own.has(one.parent)) own.set(one.pid, one);
  }
  const pids = (isUpstream: boolean) =>
    [...own.values()].filter(({ program }) => (program === upstream) === isUpstream).map(({ pid }) => pid);
  return { gateway: pids(false), upstream: pids(true) };
}

function see(pid: number, mark: string): Seen[] {
  try {
    const [, parent = '0'] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const [, program] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const isMarked = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark);
    return [{ pid, parent: Number(parent), isMarked, program }];
  } catch {
    return []; // it has ended, or is of another user
  }
}

/** Ends those of them that are left. */
export function kill({ gateway, upstream }: TargetProcesses): void {
  for (const pid of [...gateway, ...upstream]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
