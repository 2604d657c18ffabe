import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonLog } from '../lib/daemon-address.ts';
import { AUTOSTART_OFF, LOCK_HELD } from '../lib/daemon-exit-codes.ts';
import type { Hello } from '../lib/daemon-hello.ts';
import { isNewer } from '../lib/version.ts';
import { askToLeave, attach, type DaemonAttachment } from './attach.ts';
import { type StartedDaemon, startDaemon } from './start-daemon.ts';

export type FoundDaemon =
  | { kind: 'attached'; attachment: DaemonAttachment }
  /** There is no daemon and none may be started: this process has to do the work itself. */
  | { kind: 'alone' }
  | { kind: 'failed'; message: string; exitCode: 1 | 2 }
  /** We were asked to end before one was found. */
  | { kind: 'stopped' };

export interface FindOptions {
  home: string;
  /** The program to start a daemon from. */
  program: string;
  hello: Hello;
  mayStart: boolean;
  /** Another process is starting a daemon: none is started before this time. */
  notBefore?: number;
  stop?: AbortSignal;
}

/** How long a daemon may take to start. */
const PATIENCE_MS = 20_000;
/** How long its predecessor may take to answer running requests: slightly more than the timeout of a request. */
const LONGEST_MS = 90_000;
const POLL_MS = 4;
/** The lock is held, but there is no answer: its owner is starting or exiting. */
const OWNER_BUSY_MS = 200;

/** The daemon of a home: the running one or, if there is none, one that is started here. */
export async function findDaemon(options: FindOptions): Promise<FoundDaemon> {
  const { home, program, hello, mayStart, notBefore = 0, stop } = options;
  const startedAt = Date.now();
  let giveUpAt = startedAt + PATIENCE_MS;
  let startAt = notBefore;
  let child: Starting | undefined;

  while (Date.now() < Math.min(giveUpAt, startedAt + LONGEST_MS)) {
    if (stop?.aborted) return { kind: 'stopped' };
    const attachment = await attach(home, hello);
    if (attachment && !isOutdated(attachment, hello)) return settled(attachment);
    if (attachment) await replace(attachment, home, hello);
    const ending = child?.ended();
    if (ending === LOCK_HELD) {
      child = undefined;
      giveUpAt = Date.now() + PATIENCE_MS;
      startAt = Date.now() + OWNER_BUSY_MS;
    } else if (ending === AUTOSTART_OFF) return { kind: 'alone' };
    else if (ending === 0) child = undefined;
    else if (child && ending !== undefined) return failed(lastLogError(home, child.logFrom));
    if (!child && Date.now() >= startAt) {
      if (!mayStart) return { kind: 'alone' };
      try {
        child = watch(startDaemon(home, program));
      } catch (error) {
        return failed(cannotStart(home, error));
      }
    }
    await sleep(POLL_MS);
  }
  return failed(`The daemon of ${home} does not answer. See ${daemonLog(home)}.`);
}

interface Starting {
  /** Its exit code, once it has ended. */
  ended(): number | undefined;
  logFrom: number;
}

function watch({ child, logFrom }: StartedDaemon): Starting {
  let code: number | undefined;
  child.once('exit', (exitCode) => {
    code = exitCode ?? 1;
  });
  child.once('error', () => {
    code = 1;
  });
  return { ended: () => code, logFrom };
}

function settled(attachment: DaemonAttachment): FoundDaemon {
  const { error } = attachment.reply;
  if (!error) return { kind: 'attached', attachment };
  attachment.socket.destroy();
  return { kind: 'failed', message: error.message, exitCode: error.code === 'VALIDATION_ERROR' ? 2 : 1 };
}

/** A newer program replaces an auto-started daemon; one that the user started is kept. */
function isOutdated({ reply }: DaemonAttachment, { version }: Hello): boolean {
  return reply.kind === 'auto' && isNewer(version, reply.version);
}

/** Asks an older daemon to hand over, and waits until it has exited. */
async function replace({ socket }: DaemonAttachment, home: string, hello: Hello): Promise<void> {
  socket.destroy();
  await askToLeave(home, { ...hello, door: 'takeover' });
}

function failed(message: string): FoundDaemon {
  return { kind: 'failed', message, exitCode: 1 };
}

/** Why the daemon ended, from the last line of its log. */
function lastLogError(home: string, logFrom: number): string {
  try {
    const said = readFileSync(daemonLog(home)).subarray(logFrom).toString('utf8').trimEnd();
    const { error } = JSON.parse(said.split('\n').at(-1) ?? '') as { error: { message: string; hint?: string } };
    return [error.message, error.hint].filter(Boolean).join(' ');
  } catch {
    return `The daemon could not be started. See ${daemonLog(home)}.`;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no folder can be made there',
  EROFS: 'the disk is read-only',
  EACCES: 'the permission is missing',
  EPERM: 'the permission is missing',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
};

function cannotStart(home: string, error: unknown): string {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'the system refused';
  return `The folder ${home} cannot be written: ${reason}. SWITCHBOARD_HOME can name another folder.`;
}
