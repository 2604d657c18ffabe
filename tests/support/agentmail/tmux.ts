import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Origin } from '../../../src/domain/origin.ts';

export interface TmuxOptions {
  /** The working directory of its panes. */
  folder: string;
  /** The name of the first window. */
  window?: string;
}

export interface PrivateTmux {
  socket: string;
  /** The pane of the first window. */
  first: string;
  /** Returns the output of tmux, without the last newline. */
  tmux(...args: string[]): string;
  /** Adds a window, in the session of the first one or in another; returns its pane. */
  addWindow(name: string, options?: { folder?: string; session?: string; command?: readonly string[] }): string;
  addSession(name: string, window: string): string;
  /** Uses `name` unchanged: tmux alone would run `#(…)` in it as a command. */
  rename(pane: string, name: string): void;
  /** The environment variables of a program in this pane. */
  env(pane: string): { TMUX: string; TMUX_PANE: string };
  /** The origin of this process as if it had been started in this pane. */
  origin(pane: string, cwd: string): Origin;
  /** Runs a program in a separate window, as a child of the pane's shell; its environment lacks `without`. */
  runInside(options: RunInside): Promise<{ code: number; stdout: string; stderr: string; pane: string }>;
  end(): void;
}

export interface RunInside {
  window: string;
  /** A file that does not exist yet, for its output. */
  scratch: string;
  command: readonly string[];
  folder?: string;
  without?: readonly string[];
  /** Whether the pane's shell lacks it too, so that only the parent processes show where it is. */
  deeply?: boolean;
}

/** Each takes some milliseconds. */
const STARTING_TRIES = 1_000;

let count = 0;

/** A private tmux server for this test, without the user's configuration. */
export function startTmux(onEnd: (end: () => void) => void, { folder, window = 'a1' }: TmuxOptions): PrivateTmux {
  count += 1;
  const label = `switchboard-test-${process.pid}-${count}`;
  const { TMUX: _, TMUX_PANE: __, ...env } = process.env;
  const call = (...args: string[]) => {
    const options = { env: { ...env, SHELL: '/bin/sh' }, encoding: 'utf8', timeout: 60_000 } as const;
    return execFileSync('tmux', ['-u', '-L', label, '-f', '/dev/null', ...args], { ...options, stdio: 'pipe' });
  };
  const tmux = (...args: string[]) => call(...args).replace(/\n$/, '');
  /** tmux asks the process of a pane for its folder, which may not have started yet: it says nothing until then. */
  const started = (pane: string) => {
    // One that has ended already is not listed.
    const starting = () => tmux('list-panes', '-a', '-F', '#{pane_id}#{pane_current_path}').split('\n').includes(pane);
    for (let tries = 0; tries < STARTING_TRIES && starting(); tries += 1);
    return pane;
  };
  const first = started(tmux(...newIn('new-session', window, folder), '-s', 'main', '-x', '200', '-y', '50'));
  const socket = tmux('display-message', '-p', '-t', first, '#{socket_path}');
  const end = () => {
    try {
      tmux('kill-server');
    } catch {
      // The test has stopped it already.
    }
    // tmux does not remove its socket.
    rmSync(socket, { force: true });
  };
  onEnd(end);

  const server: PrivateTmux = {
    socket,
    first,
    tmux,
    addWindow: (name, { folder: at = folder, session = 'main', command = [] } = {}) =>
      started(tmux(...newIn('new-window', name, at), '-t', `=${session}:`, ...command)),
    addSession: (name, first) => started(tmux(...newIn('new-session', first, folder), '-s', name)),
    rename: (pane, name) => void tmux('rename-window', '-t', pane, '--', literally(name)),
    env: (pane) => ({
      TMUX: tmux('display-message', '-p', '-t', pane, '#{socket_path},#{pid},#{s/[$]//:session_id}'),
      TMUX_PANE: pane,
    }),
    origin: (pane, cwd) => {
      const { TMUX, TMUX_PANE } = server.env(pane);
      return { pid: process.pid, cwd, tmux: TMUX, tmuxPane: TMUX_PANE };
    },
    runInside: (options) => runInside(server, options),
    end,
  };
  return server;
}

function newIn(command: string, name: string, folder: string): string[] {
  return [command, '-d', '-P', '-F', '#{pane_id}', '-n', literally(name), '-c', folder];
}

/** tmux expands `#` in names and parses a trailing `;` of an argument as the end of the command. */
function literally(name: string): string {
  return name.replaceAll('#', '##').replace(/;$/, '\\;');
}

async function runInside(
  { addWindow }: PrivateTmux,
  { window, scratch, command, folder, without = [], deeply = false }: RunInside,
): ReturnType<PrivateTmux['runInside']> {
  mkdirSync(scratch);
  const unset = ['env', ...without.flatMap((name) => ['-u', name])];
  const script = '"$@" <&- >"$0/stdout" 2>"$0/stderr"; echo $? >"$0/code.new"; mv "$0/code.new" "$0/code"; exec cat';
  const pane = addWindow(window, {
    ...(folder === undefined ? {} : { folder }),
    command: [...(deeply ? unset : []), 'sh', '-c', script, scratch, ...unset, ...command],
  });
  await fileIn(scratch, 'code');
  const read = (name: string) => readFileSync(join(scratch, name), 'utf8');
  return { code: Number(read('code')), stdout: read('stdout'), stderr: read('stderr'), pane };
}

async function fileIn(folder: string, name: string): Promise<void> {
  const watcher = watch(folder);
  try {
    while (!existsSync(join(folder, name))) await once(watcher, 'change');
  } finally {
    watcher.close();
  }
}
