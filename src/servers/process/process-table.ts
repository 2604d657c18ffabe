import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { childEnvironment } from '../../lib/child-environment.ts';
import { MARK_VARIABLE } from './process-mark.ts';

export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** With the pid, identifies a process: pids are used again. */
  started: string;
  /** It has ended and waits for its parent to notice. */
  isZombie: boolean;
  /** Value of our variable in its environment, as far as it may be read. */
  mark?: string;
}

/** Reads of /proc before other work gets its turn. */
const BATCH = 64;
const PS_ARGUMENTS = ['-axww', '-E', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command='];
const PS_LIMITS = { timeout: 2_000, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 } as const;
/** The time that a process was started has five words: `Wed Nov 18 04:54:53 2026`. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s?(.*)$/;

let next: Promise<readonly ProcessEntry[]> | undefined;

/** All processes that are visible to this user. Callers in the same turn of the event loop share one reading. */
export function listProcesses(): Promise<readonly ProcessEntry[]> {
  next ??= read();
  return next;
}

async function read(): Promise<readonly ProcessEntry[]> {
  await yieldToEventLoop();
  // Who asks from now on may ask about a process that this reading misses.
  next = undefined;
  return process.platform === 'linux' ? fromProc() : parsePs(await runPs());
}

async function fromProc(): Promise<ProcessEntry[]> {
  const entries: ProcessEntry[] = [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    if (index % BATCH === BATCH - 1) await yieldToEventLoop();
    const stat = textOf(`/proc/${pid}/stat`);
    if (stat === undefined) continue;
    const environment = textOf(`/proc/${pid}/environ`) ?? '';
    entries.push(withMark(parseStat(Number(pid), stat), markIn(environment.split('\0'))));
  }
  return entries;
}

/** `4711 (name) S parent group …`, where the name may itself contain spaces and brackets. */
function parseStat(pid: number, stat: string): ProcessEntry {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    started: fields[19] ?? '',
    isZombie: state === 'Z' || state === 'X',
  };
}

/** Output of `ps` on macOS: the environment follows the arguments, separated by spaces. */
export function parsePs(text: string): ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', started = '', command = ''] = PS_LINE.exec(line) ?? [];
    if (pid === undefined) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    return [withMark({ ...numbers, started, isZombie: state.startsWith('Z') }, markIn(command.split(' ')))];
  });
}

function withMark(entry: ProcessEntry, mark: string | undefined): ProcessEntry {
  return mark === undefined ? entry : { ...entry, mark };
}

function markIn(variables: readonly string[]): string | undefined {
  const beginning = `${MARK_VARIABLE}=`;
  return variables.find((variable) => variable.startsWith(beginning))?.slice(beginning.length);
}

/** Undefined for a process that ended in the meantime, or that belongs to another user. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function runPs(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const options = { ...PS_LIMITS, env: childEnvironment(process.env) };
  execFile('ps', PS_ARGUMENTS, options, (error, stdout) => resolve(error ? '' : stdout)).stdin?.end();
  return promise;
}
