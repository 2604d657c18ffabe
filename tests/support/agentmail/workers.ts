import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const PROGRAM = new URL('./worker-program.ts', import.meta.url).pathname;
const INDEPENDENT_READER = new URL('./independent-reader.ts', import.meta.url).pathname;

export interface MailWorker {
  process: ChildProcess;
  /** Everything it printed so far, in complete lines: a partial line is not an acknowledgement. */
  said(what: string): string[];
  ended: Promise<void>;
}

export function startMailWorker(...args: string[]): MailWorker {
  return start(PROGRAM, args);
}

/** A reader of one mailbox that is not ours. */
export function startIndependentReader(mailbox: string): MailWorker {
  return start(INDEPENDENT_READER, [mailbox]);
}

function start(program: string, args: readonly string[]): MailWorker {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = once(child, 'close').then(() => {});
  return {
    process: child,
    said: (what) =>
      text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line.startsWith(`${what} `))
        .map((line) => line.slice(what.length + 1)),
    ended,
  };
}

/** Kills workers that do not exit; a failed worker fails the test. */
export async function allEnded(workers: readonly MailWorker[]): Promise<void> {
  try {
    await Promise.all(
      workers.map(async ({ process: child, ended }) => {
        await ended;
        assert.equal(child.exitCode, 0, `ended by ${child.signalCode ?? child.exitCode}`);
      }),
    );
  } finally {
    for (const { process: child } of workers) child.kill('SIGKILL');
  }
}

/** Resolves when one of them has printed more. */
export async function moreIsSaid(workers: readonly MailWorker[]): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race(
      workers.flatMap(({ process: child, ended }) => [
        once(child.stdout ?? child, 'data', { signal }),
        ended.then(() => assert.fail('a worker ended')),
      ]),
    );
  } finally {
    waiting.abort();
  }
}

export async function endAll(workers: readonly MailWorker[]): Promise<void> {
  for (const { process: child } of workers) child.kill('SIGKILL');
  await Promise.all(workers.map(({ ended }) => ended));
}
