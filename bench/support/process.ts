import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

/** A program to measure, as arguments of this Node. */
export interface Program {
  args: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
}

export type Running = ChildProcessByStdio<Writable, Readable, Readable>;

const TIMEOUT_MS = 5_000;

/** Child processes end with the benchmark. */
const started = new Set<Running>();
process.once('exit', () => {
  for (const running of started) running.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a program in the same environment for all contenders, whatever the calling shell has set. */
export function start({ args, env, cwd }: Program): Running {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const running = spawn(process.execPath, args, {
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  started.add(running);
  running.once('exit', () => started.delete(running));
  return running;
}

/** Ends it as a client does, by closing its input, and kills it if that has no effect. */
export async function end(running: Running, signal?: 'SIGTERM'): Promise<void> {
  if (running.exitCode !== null || running.signalCode !== null) return;
  const exited = once(running, 'exit');
  const force = setTimeout(() => running.kill('SIGKILL'), TIMEOUT_MS);
  running.stdin.end();
  if (signal) running.kill(signal);
  await exited;
  clearTimeout(force);
}

/** Runs it until it ends by itself; output and exit code are ignored. */
export async function runToEnd(program: Program): Promise<void> {
  const running = start(program);
  running.stdin.end();
  running.stdout.resume();
  running.stderr.resume();
  await once(running, 'exit');
}

/** The first text on stderr that matches; fails if the program exits without it. */
export async function announced(running: Running, pattern: RegExp): Promise<string> {
  let heard = '';
  for await (const chunk of running.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    heard += chunk;
    const [found] = pattern.exec(heard) ?? [];
    if (found === undefined) continue;
    running.stderr.resume();
    return found;
  }
  throw new Error(`A program that is measured ended early. It said: ${heard}`);
}

export interface Memory {
  rssMb: number;
  /** Memory that is not shared with other processes: the cost of one more process. */
  privateMb: number;
}

/** Undefined where the system is not Linux. */
export function memoryOf({ pid }: Pick<Running, 'pid'>): Memory | undefined {
  if (process.platform !== 'linux') return undefined;
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0) / 1024;
  return { rssMb: megabytes('Rss'), privateMb: megabytes('Private_Clean') + megabytes('Private_Dirty') };
}

/**
 * Milliseconds of CPU time of all threads, which a busy machine affects least. Undefined where the system is not
 * Linux.
 */
export function cpuOf({ pid }: Pick<Running, 'pid'>): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + cpuOfThread(`/proc/${pid}/task/${thread}/schedstat`), 0);
}

function cpuOfThread(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) / 1e6;
  } catch {
    return 0; // the thread has just ended
  }
}

/** The largest memory that it has used since its start. Undefined where the system is not Linux. */
export function peakMemoryOf({ pid }: Running): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
