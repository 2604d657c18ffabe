import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { drainStderr } from './drain-stderr.ts';
import type { Guard } from './guard.ts';
import { MARK_VARIABLE } from './process-mark.ts';
import { endTree } from './process-tree.ts';
import { CONTAINER_RUN } from './runtime.ts';
import type { LaunchPlan, ProcessExit, ServerOutput, ServerProcess } from './server-process.ts';

export interface LaunchOptions {
  output: ServerOutput;
  guard: Guard;
  /** All processes of the server have ended after so long. */
  stopTimeoutMs?: number;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const STOP_TIMEOUT_MS = 5_000;
/** Parts of the timeout: for the end of its input alone, and until it is killed. */
const INPUT_END_SHARE = 0.1;
const KILL_SHARE = 0.7;
/** For what a process wrote last, which is read after its end is reported; its children may hold the pipes open. */
const LAST_OUTPUT_MS = 50;
const SHORTEST_REMOVE_MS = 500;

/** Starts a server in a process group of its own. Never throws: what could not be started has exited with an error. */
export function launch(plan: LaunchPlan, options: LaunchOptions): ServerProcess {
  const mark = options.guard.newMark();
  const child = start(plan, mark);
  return child instanceof Error || child.pid === undefined
    ? notStarted(plan, child)
    : running(plan, child, child.pid, mark, options);
}

function start(plan: LaunchPlan, mark: string): Child | Error {
  const { command, args, cwd, env, isContainer } = plan;
  try {
    return spawn(command, isContainer ? withName(args, containerName(mark)) : args, {
      cwd,
      env: { ...env, [MARK_VARIABLE]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function running(
  plan: LaunchPlan,
  child: Child,
  pid: number,
  mark: string,
  { output, guard, stopTimeoutMs = STOP_TIMEOUT_MS }: LaunchOptions,
): ServerProcess {
  guard.add(pid);
  // A server that has closed its input, or has ended: the connection learns of it by the end of the output.
  child.stdin.on('error', () => {});
  child.stdout.on('error', () => {});
  drainStderr(child.stderr, output);
  const exited = exitOf(child, output);
  let stopping: Promise<void> | undefined;

  async function end(): Promise<void> {
    const began = performance.now();
    const inputEndMs = stopTimeoutMs * INPUT_END_SHARE;
    child.stdin.end();
    await within(inputEndMs, exited);
    const isGone = await endTree(
      { group: pid, isMark: (each) => each === mark },
      { killAfterMs: stopTimeoutMs * KILL_SHARE - inputEndMs, timeoutMs: stopTimeoutMs - inputEndMs },
    );
    if (isGone) {
      guard.remove(pid);
      const { signal } = await exited;
      if (plan.isContainer && signal !== null) {
        await removeContainer(plan, mark, stopTimeoutMs - (performance.now() - began));
      }
    }
    // A reader gets what was written last.
    if (child.stdout.readableFlowing !== null) await closed(child.stdout);
    for (const stream of child.stdio) stream?.destroy();
  }

  const stop = () => {
    stopping ??= end();
    return stopping;
  };
  // Nothing of a server that crashed may go on, whether or not its owner calls stop.
  void exited.then(stop);
  return { pid, stdin: child.stdin, stdout: child.stdout, exited, stop };
}

async function exitOf(child: Child, output: ServerOutput): Promise<ProcessExit> {
  const { promise, resolve } = Promise.withResolvers<ProcessExit>();
  child.once('exit', (code, signal) => resolve({ code, signal }));
  const exit = await promise;
  await closed(child.stderr);
  output.end('stderr');
  output.note(
    exit.signal === null ? `The process exited with code ${exit.code}.` : `The process was ended by ${exit.signal}.`,
  );
  return exit;
}

async function closed(stream: Readable): Promise<void> {
  if (stream.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('close', resolve);
  await within(LAST_OUTPUT_MS, promise);
}

/** Waits for an event, but not longer. */
async function within(milliseconds: number, event: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([event, promise]);
  clearTimeout(timer);
}

function notStarted(plan: LaunchPlan, failed: Child | Error): ServerProcess {
  const { promise: exited, resolve } = Promise.withResolvers<ProcessExit>();
  const exit = (error: Error) => resolve({ code: null, signal: null, error: missingFolder(plan.cwd) ?? error });
  if (failed instanceof Error) exit(failed);
  else {
    failed.once('error', exit);
    // Where there are no descriptors left, there are not even streams.
    for (const stream of failed.stdio ?? []) stream?.on('error', () => {}).destroy();
  }
  const stdin = new PassThrough().on('error', () => {});
  stdin.destroy();
  return { pid: undefined, stdin, stdout: Readable.from([]), exited, stop: async () => void (await exited) };
}

/** For the operating system, a missing folder and a missing program are the same error. */
function missingFolder(cwd: string): NodeJS.ErrnoException | undefined {
  try {
    if (statSync(cwd).isDirectory()) return undefined;
  } catch {}
  return Object.assign(new Error('the working directory is missing'), { code: 'ENOENT', syscall: 'chdir', path: cwd });
}

function containerName(mark: string): string {
  return `switchboard-${mark}`;
}

function withName(args: readonly string[], name: string): string[] {
  return args.toSpliced(CONTAINER_RUN.length, 0, `--name=${name}`);
}

/** A client that was killed could not end its container. */
async function removeContainer({ command, cwd, env }: LaunchPlan, mark: string, leftMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const options = { cwd, env, timeout: Math.max(leftMs, SHORTEST_REMOVE_MS), killSignal: 'SIGKILL' } as const;
  execFile(command, ['rm', '--force', containerName(mark)], options, () => resolve());
  await promise;
}
