import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Ancestor, ancestorsOf, environmentOf, type RunPs, runPs } from './ancestors.ts';

/** A process among the caller and its parents, with what tells whose it is. */
export interface ProcessFacts extends Ancestor {
  /** Its command line; only its name where that cannot be read. */
  command: readonly string[];
  /** A variable of the environment that it was started with; undefined also where it cannot be read. */
  variable(name: string): string | undefined;
  /** Whether it accepts connections of other processes; false where that is unknown. */
  listens(): boolean;
}

/** The process and its parents, nearest first, as far as they are visible. */
export async function processFacts(pid: number, ps: RunPs = runPs): Promise<ProcessFacts[]> {
  const ancestors = await ancestorsOf(pid, ps);
  return process.platform === 'linux' ? ancestors.map(fromProc) : fromPs(ancestors, ps);
}

function fromProc(ancestor: Ancestor): ProcessFacts {
  let environment: ReadonlyMap<string, string> | undefined;
  return {
    ...ancestor,
    command: commandFromProc(ancestor),
    variable(name) {
      environment ??= environmentOf(ancestor.pid) ?? new Map();
      return environment.get(name);
    },
    listens: () => listens(ancestor.pid),
  };
}

function commandFromProc({ pid, name }: Ancestor): readonly string[] {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').split('\0');
    return words[0] ? words : [name];
  } catch {
    return [name];
  }
}

/** `-E` shows the environment after the command line. */
async function fromPs(ancestors: readonly Ancestor[], ps: RunPs): Promise<ProcessFacts[]> {
  if (ancestors.length === 0) return [];
  const listed = await ps(['-wwE', '-o', 'pid=,command=', '-p', ancestors.map(({ pid }) => pid).join(',')]);
  const lines = new Map([...listed.matchAll(/^\s*(\d+)\s+(.*)$/gm)].map(([, pid, text = '']) => [Number(pid), text]));
  return ancestors.map((ancestor) => {
    const words = (lines.get(ancestor.pid) ?? ancestor.name).split(' ');
    return {
      ...ancestor,
      command: words,
      variable: (name) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1),
      listens: () => false,
    };
  });
}

/** Whether a socket of this process accepts connections, on Linux. */
function listens(pid: number): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    const inodes = readdirSync(folder).map((name) => socketBehind(join(folder, name)));
    const open = new Set(inodes.filter((inode) => inode !== ''));
    return open.size > 0 && listeningInodes().some((inode) => open.has(inode));
  } catch {
    return false;
  }
}

/** The inode of the socket that this file descriptor is; empty if it is none. */
export function socketBehind(file: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(file))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** The columns of the kernel's lists: `00010000` is the flag of listening Unix sockets, `0A` the state of listening TCP. */
function listeningInodes(): string[] {
  const unix = linesOf('/proc/net/unix').flatMap(
    (line) => /^\S+ \S+ \S+ 00010000 \S+ \S+\s+(\d+)/.exec(line)?.[1] ?? [],
  );
  const tcp = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(linesOf).flatMap((line) => {
    const [, , , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === '0A' && inode !== undefined ? [inode] : [];
  });
  return [...unix, ...tcp];
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
