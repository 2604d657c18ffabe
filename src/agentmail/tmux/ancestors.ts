import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childEnvironment } from '../../lib/child-environment.ts';
import { runAtOnce } from '../../lib/run-at-once.ts';

export interface Ancestor {
  pid: number;
  /** The process name, without a folder. */
  name: string;
}

interface Entry extends Ancestor {
  parent: number;
}

const MAX_ANCESTORS = 256;
const PS_LIMITS = { timeoutMs: 2_000, maxBytes: 8 * 1024 * 1024 };
const PS_ARGUMENTS = ['-axo', 'pid=,ppid=,comm='];

/** All processes as `ps` lists them, for systems without /proc; empty where it fails. */
export type ListProcesses = () => Promise<string>;

export const listProcesses: ListProcesses = () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const options = {
    timeout: PS_LIMITS.timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: PS_LIMITS.maxBytes,
    env: childEnvironment(process.env),
  } as const;
  execFile('ps', PS_ARGUMENTS, options, (error, stdout) => resolve(error ? '' : stdout)).stdin?.end();
  return promise;
};

/** Synchronous, for a process that has nothing else to do. */
export const listProcessesSync: ListProcesses = async () => runAtOnce('ps', PS_ARGUMENTS, PS_LIMITS).stdout;

/** The process and its parents, nearest first, as far as they are visible. */
export async function ancestorsOf(
  pid: number,
  list: ListProcesses = listProcesses,
  platform: NodeJS.Platform = process.platform,
): Promise<Ancestor[]> {
  const entryOf = platform === 'linux' ? entryFromProc : entriesFromPs(await list());
  const found: Ancestor[] = [];
  for (let at = pid; at > 1 && found.length < MAX_ANCESTORS; ) {
    const entry = entryOf(at);
    if (!entry || found.some((each) => each.pid === entry.pid)) break;
    found.push({ pid: entry.pid, name: entry.name });
    at = entry.parent;
  }
  return found;
}

/** The environment of a process; empty where it cannot be read. */
export function environmentOf(pid: number): ReadonlyMap<string, string> {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
  } catch {
    return new Map();
  }
}

function entryFromProc(pid: number): Entry | undefined {
  try {
    return { pid, ...parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')) };
  } catch {
    return undefined;
  }
}

/** `4711 (name) S 42 …`, where the name may itself contain spaces and brackets. */
export function parseStat(stat: string): Omit<Entry, 'pid'> {
  const end = stat.lastIndexOf(')');
  const [, parent] = stat.slice(end + 2).split(' ');
  return { name: stat.slice(stat.indexOf('(') + 1, end), parent: Number(parent ?? 0) };
}

function entriesFromPs(listed: string): (pid: number) => Entry | undefined {
  const entries = listed.split('\n').flatMap((line) => parsePsLine(line) ?? []);
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
  return (pid) => byPid.get(pid);
}

/** `  4711  42 /usr/bin/tmux` */
export function parsePsLine(line: string): Entry | undefined {
  const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
  if (pid === undefined) return undefined;
  return { pid: Number(pid), parent: Number(parent), name: command.slice(command.lastIndexOf('/') + 1) };
}
