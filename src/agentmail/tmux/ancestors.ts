import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childEnvironment } from '../../lib/child-environment.ts';
import { runAtOnce } from '../../lib/run-at-once.ts';

export interface Ancestor {
  pid: number;
  /** The process name, without a folder. */
  name: string;
  parent: number;
  /** The first process of its session; missing where that is unknown. */
  session?: number;
  /** Whether it has a controlling terminal. */
  hasTerminal: boolean;
}

const MAX_ANCESTORS = 256;
const PS_LIMITS = { timeoutMs: 2_000, maxBytes: 8 * 1024 * 1024 };
const PS_ARGUMENTS = ['-axo', 'pid=,ppid=,tty=,comm='];

/** Runs `ps`, for systems without /proc; empty where it fails. */
export type RunPs = (args: readonly string[]) => Promise<string>;

export const runPs: RunPs = (args) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const options = {
    timeout: PS_LIMITS.timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: PS_LIMITS.maxBytes,
    env: childEnvironment(process.env),
  } as const;
  execFile('ps', [...args], options, (error, stdout) => resolve(error ? '' : stdout)).stdin?.end();
  return promise;
};

/** Synchronous, for a process that has nothing else to do. */
export const runPsSync: RunPs = async (args) => runAtOnce('ps', args, PS_LIMITS).stdout;

/** The process and its parents, nearest first, as far as they are visible. */
export async function ancestorsOf(
  pid: number,
  ps: RunPs = runPs,
  platform: NodeJS.Platform = process.platform,
): Promise<Ancestor[]> {
  const entryOf = platform === 'linux' ? entryFromProc : entriesFromPs(await ps(PS_ARGUMENTS));
  const found: Ancestor[] = [];
  for (let at = pid; at > 0 && found.length < MAX_ANCESTORS; ) {
    const entry = entryOf(at);
    if (!entry || found.some((each) => each.pid === entry.pid)) break;
    found.push(entry);
    at = entry.parent;
  }
  return found;
}

/** Undefined if there is no such process, or it cannot be seen. */
export async function parentOf(pid: number, ps: RunPs = runPs): Promise<number | undefined> {
  if (process.platform === 'linux') return entryFromProc(pid)?.parent;
  return Number(await ps(['-o', 'ppid=', '-p', String(pid)])) || undefined;
}

/** The environment that a process was started with; undefined where it cannot be read. */
export function environmentOf(pid: number): ReadonlyMap<string, string> | undefined {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
  } catch {
    return undefined;
  }
}

function entryFromProc(pid: number): Ancestor | undefined {
  try {
    return { pid, ...parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')) };
  } catch {
    return undefined;
  }
}

/** `4711 (name) S parent group session terminal …`, where the name may itself contain spaces and brackets. */
export function parseStat(stat: string): Omit<Ancestor, 'pid'> {
  const end = stat.lastIndexOf(')');
  const [, parent, , session, terminal] = stat.slice(end + 2).split(' ');
  return {
    name: stat.slice(stat.indexOf('(') + 1, end),
    parent: Number(parent ?? 0),
    session: Number(session ?? 0),
    hasTerminal: Number(terminal ?? 0) !== 0,
  };
}

function entriesFromPs(listed: string): (pid: number) => Ancestor | undefined {
  const entries = listed.split('\n').flatMap((line) => parsePsLine(line) ?? []);
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
  return (pid) => byPid.get(pid);
}

/** `  4711  42 ttys001 /usr/bin/tmux`; without a terminal `??`. */
export function parsePsLine(line: string): Ancestor | undefined {
  const [, pid, parent, terminal = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
  if (pid === undefined) return undefined;
  const name = command.slice(command.lastIndexOf('/') + 1);
  return { pid: Number(pid), parent: Number(parent), name, hasTerminal: /^[^?-]/.test(terminal) };
}
