import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { childEnvironment } from '../../lib/child-environment.ts';
import { kindOf, type ProgramKind, programName } from './programs.ts';

/** A process of the foreground process group of a terminal. */
export interface Member {
  pid: number;
  parent: number;
  command: readonly string[];
  /** Whether it reads from the terminal; assumed where that is unknown. */
  reads: boolean;
}

/** The program that receives what is typed into a terminal. */
export interface Foreground {
  /** The foreground process group of the terminal. */
  group: number;
  /** As the user would name it. */
  name: string;
  kind: ProgramKind;
  command: readonly string[];
}

/** The program in the foreground of a pane; undefined where there is none, or it is unknown. */
export async function foregroundOf(pane: { pid: number; tty: string }): Promise<Foreground | undefined> {
  const found = process.platform === 'linux' ? await groupFromProc(pane) : await groupFromPs(pane.tty);
  return found && judge(found.group, found.members);
}

/**
 * The processes that read from the terminal and have no child that does: the editor that an agent has opened, or the
 * agent that a script has started.
 */
export function judge(group: number, members: readonly Member[]): Foreground | undefined {
  const readers = members.filter(({ reads }) => reads);
  const parents = parentsAmong(members, readers);
  const front = readers.filter(({ pid }) => !parents.has(pid));
  const [first] = front;
  if (!first) return undefined;
  const kinds = front.map(({ command }) => kindOf(command));
  const never = kinds.indexOf('never');
  const agent = kinds.indexOf('agent');
  const deciding = front[never >= 0 ? never : Math.max(agent, 0)] ?? first;
  const { command } = deciding;
  return { group, name: programName(command), kind: kindOf(command), command };
}

/** All parents, within the group, of a process that reads. */
function parentsAmong(members: readonly Member[], readers: readonly Member[]): ReadonlySet<number> {
  const byPid = new Map(members.map((member) => [member.pid, member]));
  const parents = new Set<number>();
  for (const reader of readers) {
    let above = byPid.get(reader.parent);
    while (above && !parents.has(above.pid)) {
      parents.add(above.pid);
      above = byPid.get(above.parent);
    }
  }
  return parents;
}

interface Group {
  group: number;
  members: readonly Member[];
}

async function groupFromProc(pane: { pid: number; tty: string }): Promise<Group | undefined> {
  const group = (await statOf(pane.pid))?.terminalGroup ?? 0;
  if (group <= 0) return undefined;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(async (pid) => ({ pid, stat: await statOf(pid) })));
  const members = stats.filter(({ stat }) => stat?.group === group);
  return {
    group,
    members: await Promise.all(
      members.map(async ({ pid, stat }) => ({
        pid,
        parent: stat?.parent ?? 0,
        command: await commandOf(pid, stat?.name ?? ''),
        reads: (await readlink(`/proc/${pid}/fd/0`).catch(() => '')) === pane.tty,
      })),
    ),
  };
}

async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseStat(text);
}

/** `4711 (name) S parent group session terminal terminal's-group …`; the name may contain anything. */
export function parseStat(text: string) {
  const end = text.lastIndexOf(')');
  const [, parent, group, , , terminalGroup] = text.slice(end + 2).split(' ');
  return {
    name: text.slice(text.indexOf('(') + 1, end),
    parent: Number(parent),
    group: Number(group),
    terminalGroup: Number(terminalGroup),
  };
}

async function commandOf(pid: number, name: string): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = text.replace(/\0+$/, '').split('\0');
  return words[0] ? words : [name];
}

/** Without /proc: `ps` marks foreground processes with a plus in their state. */
async function groupFromPs(tty: string): Promise<Group | undefined> {
  const args = ['-t', tty.replace(/^\/dev\//, ''), '-o', 'pid=,ppid=,pgid=,stat=,command='];
  const options = { timeout: 2_000, env: childEnvironment(process.env) };
  const { stdout } = await promisify(execFile)('ps', args, options);
  return parsePs(stdout);
}

export function parsePs(text: string): Group | undefined {
  const rows = [...text.matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/gm)];
  const front = rows.filter(([, , , , state = '']) => state.includes('+') && !state.includes('Z'));
  const group = Number(front[0]?.[3] ?? 0);
  if (group === 0) return undefined;
  const members = front.map(([, pid, parent, , , command = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    command: command.split(' '),
  }));
  // `ps` does not show what a process reads from: servers and tools that an agent has started are left out.
  return {
    group,
    members: members.map((member) => ({
      ...member,
      reads: member.pid === group || kindOf(member.command) !== 'unknown',
    })),
  };
}
