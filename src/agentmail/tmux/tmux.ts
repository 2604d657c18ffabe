import { execFile } from 'node:child_process';
import { randomHex } from '../../lib/chance.ts';
import { childEnvironment } from '../../lib/child-environment.ts';
import { runAtOnce } from '../../lib/run-at-once.ts';
import type { WindowKey } from '../agent.ts';

/** A healthy server answers in milliseconds; one that hangs must not block us. */
const TIMEOUT_MS = 2_000;
const MAX_OUTPUT = 8 * 1024 * 1024;

/** A tmux command failed. `message` is the cause that users see. */
export class TmuxFailure extends Error {
  override readonly name = 'TmuxFailure';
}

/** One pane of a session. A window that is linked into several sessions is listed once for each. */
export interface Pane {
  /** `%3` */
  id: string;
  /** Its first process. */
  pid: number;
  isActive: boolean;
  isDead: boolean;
  /** Working directory of its foreground program; empty where tmux does not know it. */
  folder: string;
  /** `$1` */
  session: string;
  /** `@2` */
  window: string;
  windowKey: WindowKey;
  windowName: string;
  serverPid: number;
}

const FIELDS = [
  'pane_id',
  'pane_pid',
  'pane_active',
  'pane_dead',
  'session_id',
  'window_id',
  'pid',
  'start_time',
  'window_name',
  'pane_current_path',
] as const;

export type RunTmux = (socket: string, args: readonly string[], options?: { timeoutMs?: number }) => Promise<string>;

/** Runs tmux without a shell: arguments are passed as they are. Several commands are separated by `;` arguments. */
export const tmux: RunTmux = (socket, args, { timeoutMs = TIMEOUT_MS } = {}) => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = {
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT,
    env: childEnvironment(process.env),
  } as const;
  const child = execFile('tmux', argumentsFor(socket, args), options, (error, stdout) => {
    if (error) reject(new TmuxFailure(causeOf(error), { cause: error }));
    else resolve(stdout);
  });
  child.stdin?.end();
  return promise;
};

/** Synchronous, at half the cost, for a process that has nothing else to do. */
export const tmuxSync: RunTmux = async (socket, args, { timeoutMs = TIMEOUT_MS } = {}) => {
  const limits = { timeoutMs: timeoutMs, maxBytes: MAX_OUTPUT };
  const { status, failure, stdout } = runAtOnce('tmux', argumentsFor(socket, args), limits);
  if (failure !== undefined) throw new TmuxFailure(causeOf({ code: failure, killed: failure === 'ETIMEDOUT' }));
  if (status !== 0) throw new TmuxFailure(causeOf({ code: status }));
  return stdout;
};

function argumentsFor(socket: string, args: readonly string[]): string[] {
  // Without -u a client in a plain locale prints `_` for anything that is not ASCII.
  return ['-u', '-S', socket, ...args];
}

/** All panes of the session of `pane`; fails if that pane was closed. */
export async function panesBeside(socket: string, pane: string, run: RunTmux = tmux): Promise<Pane[]> {
  // Not display-message, which succeeds with empty output for a closed pane.
  return listPanes(['-s', '-t', pane], (args) => run(socket, args));
}

export async function allPanes(socket: string, run: RunTmux = tmux): Promise<Pane[]> {
  return listPanes(['-a'], (args) => run(socket, args));
}

/** Every window of these servers; none of a server that does not answer. */
export async function windowsOn(sockets: readonly string[], run: RunTmux = tmux): Promise<WindowKey[]> {
  const found = await Promise.all(
    sockets.map((socket) =>
      allPanes(socket, run).catch((thrown) => {
        if (thrown instanceof TmuxFailure) return [];
        throw thrown;
      }),
    ),
  );
  return [...new Set(found.flat().map(({ windowKey }) => windowKey))];
}

async function listPanes(which: readonly string[], run: (args: readonly string[]) => Promise<string>): Promise<Pane[]> {
  // Paths may contain any other separator, line ends included; this one cannot be guessed.
  const mark = `:${randomHex(16)}:`;
  const format = FIELDS.map((field) => `${mark}#{${field}}`).join('');
  const output = await run(['list-panes', ...which, '-F', `${format}${mark}`]);
  return toPanes(output.split(mark).slice(1, -1));
}

function toPanes(values: readonly string[]): Pane[] {
  // Between the last value of a pane and the first of the next is the end of the line.
  const width = FIELDS.length + 1;
  const count = Math.ceil(values.length / width);
  return Array.from({ length: count }, (_, index) => toPane(values.slice(index * width, (index + 1) * width)));
}

function toPane(values: readonly string[]): Pane {
  const [id = '', pid, active, dead, session = '', window = '', server, start, windowName = '', folder = ''] = values;
  return {
    id,
    pid: Number(pid),
    isActive: active === '1',
    isDead: dead === '1',
    folder,
    session,
    window,
    windowKey: `${server}:${start}:${window}`,
    windowName,
    serverPid: Number(server),
  };
}

function causeOf({ code, killed }: { code?: string | number | null | undefined; killed?: boolean }): string {
  if (code === 'ENOENT') return 'exec: "tmux": executable file not found in $PATH';
  if (killed) return 'tmux did not answer';
  return typeof code === 'number' ? `exit status ${code}` : 'tmux could not be run';
}
