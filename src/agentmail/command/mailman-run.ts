import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopSignal } from '../../lib/stop-signal.ts';
import { visible } from '../../lib/visible.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { runMailman } from '../mailman/mailman.ts';
import { runsCommand, workingFolderOf } from '../mailman/own-processes.ts';
import { claimPidFile, runningMailman } from '../mailman/pid-file.ts';
import { type AgentSession, sessionOf, sessionsOfRepository } from '../mailman/sessions.ts';
import { openRepositoryFile, prepareFolder, renameWithin, statOf } from '../repository/repository-file.ts';
import { namedLocationOf } from '../tmux/tmux-location.ts';
import { type CommandCall, type CommandOutcome, refuseMoreWords, type World } from './command.ts';
import { CommandFailure } from './failure.ts';
import { STDERR, STDOUT, writeAll } from './output.ts';

const PID_FILE = 'mailman.pid';
const LOG_FILE = 'mailman.log';
const LARGEST_LOG = 1024 * 1024;
const STOP_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 50;

export async function runMailmanCommand({ line, world }: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(line.words, 1);
  const main = mainFolderAt(world.origin.cwd);
  const [what] = line.words;
  if (what === 'stop') return stop(main);
  if (what === 'status') return status(main);
  if (what !== undefined) {
    throw new CommandFailure('VALIDATION_ERROR', `unknown word: '${what}'`, {
      hint: 'usage: agentmail mailman [stop|status]',
    });
  }
  prepareFolder(main, dirname(main));
  return line.has('daemon') ? startInBackground(main, world) : runHere(main, world);
}

/** Outside a Git repository, mail is in the folder itself. */
function mainFolderAt(folder: string): string {
  return mailFoldersFor(folder)?.main ?? join(folder, '.agentmail');
}

async function runHere(main: string, world: World): Promise<CommandOutcome> {
  const signal = stopSignal({ withParent: false });
  const claim = await claimPidFile(join(main, PID_FILE));
  if (claim.kind === 'running') throw alreadyRunning(claim.pid);
  try {
    if (claim.wasStale) tell('Warning: Stale PID file found, cleaning up\n');
    const session = await ownSession(world);
    writeAll(STDOUT, `Mailman daemon started (PID: ${process.pid})\n`);
    process.send?.('started');
    if (process.connected) process.disconnect();
    const ending = await runMailman({
      main,
      signal,
      sessions: () => (session ? [session] : sessionsOfRepository(main, process.env)),
      endsWithSessions: session !== undefined,
      log,
    });
    log(`ended: ${ending}`);
    return {};
  } finally {
    claim.release();
  }
}

/** Detached from the terminal, with its output in a log file. It holds the pid file's lock when this returns. */
async function startInBackground(main: string, world: World): Promise<CommandOutcome> {
  const running = await runningMailman(join(main, PID_FILE));
  if (running) throw alreadyRunning(running.pid);
  const file = openLog(main);
  const [node = process.execPath, ...args] = world.self;
  const child = spawn(node, [...args, 'mailman'], {
    cwd: world.origin.cwd,
    detached: true,
    stdio: ['ignore', file, file, 'ipc'],
    env: { ...process.env, ...(await paneVariables(world)) },
  });
  closeSync(file);
  const started = await new Promise<number | undefined>((resolve) => {
    child.once('message', () => resolve(undefined));
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
  child.unref();
  if (child.connected) child.disconnect();
  if (started === undefined) {
    return { text: `Mailman daemon started in background (PID: ${child.pid})\n`, json: { pid: child.pid } };
  }
  const other = await runningMailman(join(main, PID_FILE));
  throw other
    ? alreadyRunning(other.pid)
    : new CommandFailure('INTERNAL', `the mailman did not start: see ${join(main, 'switchboard', LOG_FILE)}`);
}

async function stop(main: string): Promise<CommandOutcome> {
  const path = join(main, PID_FILE);
  const running = await runningMailman(path);
  if (!running) return { text: 'Mailman daemon is not running\n', json: { running: false } };
  const { pid } = running;
  if (!(await runsCommand(pid, 'mailman'))) {
    throw new CommandFailure('CONFLICT', `the mailman is part of the Switchboard daemon (PID: ${pid})`, {
      hint: "'switchboard daemon stop' ends both",
    });
  }
  // The file is one of the repository: it may name the mailman of another one.
  const folder = await workingFolderOf(pid);
  if (folder !== undefined && mainFolderAt(folder) !== main) {
    throw new CommandFailure('CONFLICT', `${path} names a mailman that is not of this repository (PID: ${pid})`);
  }
  process.kill(pid, 'SIGTERM');
  const until = performance.now() + STOP_TIMEOUT_MS;
  while ((await runningMailman(path))?.pid === pid) {
    if (performance.now() > until) throw new CommandFailure('TIMEOUT', `the mailman does not end (PID: ${pid})`);
    await sleep(LOOK_EVERY_MS);
  }
  return { text: `Mailman daemon stopped (PID: ${pid})\n`, json: { running: false, pid } };
}

async function status(main: string): Promise<CommandOutcome> {
  const running = await runningMailman(join(main, PID_FILE));
  if (!running) return { text: 'Mailman daemon is not running\n', json: { running: false }, exitCode: 1 };
  return { text: `Mailman daemon running (PID: ${running.pid})\n`, json: { running: true, pid: running.pid } };
}

/** The session in which it was started, and with which it exits; none outside tmux. */
async function ownSession({ origin }: World): Promise<AgentSession | undefined> {
  const where = await namedLocationOf(origin);
  return where.kind === 'inside' && where.me.pane !== undefined ? sessionOf(where.socket, where.me.pane) : undefined;
}

/** In the background it has no parent process any more through which its pane could be found. */
async function paneVariables({ origin }: World): Promise<NodeJS.ProcessEnv> {
  const where = origin.tmux ? undefined : await namedLocationOf(origin);
  if (where?.kind !== 'inside') return {};
  const session = where.me.pane === undefined ? undefined : await sessionOf(where.socket, where.me.pane);
  return session
    ? { TMUX: `${where.socket},${session.serverPid},${session.id.slice(1)}`, TMUX_PANE: where.me.pane }
    : {};
}

function alreadyRunning(pid: number): CommandFailure {
  return new CommandFailure('CONFLICT', `mailman daemon already running (PID: ${pid})`, { exitCode: 2 });
}

function openLog(main: string): number {
  const within = dirname(main);
  const folder = join(main, 'switchboard');
  prepareFolder(folder, within);
  const { size = 0 } = statOf(join(folder, LOG_FILE)) ?? {};
  if (size > LARGEST_LOG) renameWithin(folder, LOG_FILE, `${LOG_FILE}.1`, within);
  const options = { within, maxBytes: LARGEST_LOG, access: 'append', create: true } as const;
  const file = openRepositoryFile(join(folder, LOG_FILE), options);
  if (file === undefined) throw new CommandFailure('INTERNAL', `${join(folder, LOG_FILE)} was not made`);
  return file;
}

function log(words: string): void {
  tell(`[mailman] ${visible(words)}\n`);
}

/** A closed standard error does not end the process. */
function tell(text: string): void {
  try {
    writeAll(STDERR, text);
  } catch {
    // Standard error is closed.
  }
}
