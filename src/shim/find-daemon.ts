import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTOSTART_OFF, LOCK_HELD } from '../lib/daemon-exit-codes.ts';
import type { Hello } from '../lib/daemon-hello.ts';
import { isNewer } from '../lib/version.ts';
import { type Attachment, askToHandOver, attach } from './attach.ts';
import { startDaemon } from './start-daemon.ts';

export type Found =
  | { kind: 'attached'; attachment: Attachment }
  /** There is no daemon and none may be started: this process has to do the work itself. */
  | { kind: 'alone' }
  | { kind: 'failed'; message: string };

export interface FindOptions {
  home: string;
  /** The program to start a daemon from. */
  program: string;
  hello: Hello;
  /** Somebody else is about to be the daemon: none is started before this moment. */
  notBefore?: number;
}

/** How long a daemon may take to come up. */
const PATIENCE_MS = 20_000;
const POLL_MS = 4;

/** The daemon of a home: the one that runs or, where none does, one that is started here. */
export async function findDaemon({ home, program, hello, notBefore = 0 }: FindOptions): Promise<Found> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  let child: ChildProcess | undefined;
  let exitCode: number | undefined;

  while (Date.now() < giveUpAt) {
    const attachment = await attach(home, hello);
    if (attachment && !isOutdated(attachment, hello)) return settled(attachment);
    if (attachment) await replace(attachment, home, hello);
    if (exitCode === AUTOSTART_OFF) return { kind: 'alone' };
    if (exitCode !== undefined && exitCode !== 0 && exitCode !== LOCK_HELD) return failed(home);
    if ((child === undefined || exitCode !== undefined) && Date.now() >= notBefore) {
      exitCode = undefined;
      child = startDaemon(home, program);
      child.once('exit', (code) => {
        exitCode = code ?? 1;
      });
      child.once('error', () => {
        exitCode = 1;
      });
    }
    await sleep(POLL_MS);
  }
  return { kind: 'failed', message: `The daemon of ${home} does not answer. See ${logOf(home)}.` };
}

function settled(attachment: Attachment): Found {
  const { error } = attachment.reply;
  if (!error) return { kind: 'attached', attachment };
  attachment.socket.destroy();
  return { kind: 'failed', message: error.message };
}

/** A newer program replaces a daemon that came up by itself; one that a person started stays. */
function isOutdated({ reply }: Attachment, { version }: Hello): boolean {
  return reply.kind === 'auto' && isNewer(version, reply.version);
}

/** Asks an older daemon to hand over, and waits until it is gone. */
async function replace({ socket }: Attachment, home: string, hello: Hello): Promise<void> {
  socket.destroy();
  await askToHandOver(home, hello);
}

function failed(home: string): Found {
  return { kind: 'failed', message: lastWords(home) ?? `The daemon could not be started. See ${logOf(home)}.` };
}

/** Why the daemon ended, as it said itself in its last line. */
function lastWords(home: string): string | undefined {
  try {
    const line = readFileSync(logOf(home), 'utf8').trimEnd().split('\n').at(-1) ?? '';
    return line.startsWith('{') ? (JSON.parse(line) as { msg?: string }).msg : line || undefined;
  } catch {
    return undefined;
  }
}

function logOf(home: string): string {
  return join(home, 'logs', 'daemon.log');
}
