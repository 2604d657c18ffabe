import { fstatSync, writeSync } from 'node:fs';
import { isWritable } from '../../lib/is-writable.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import { visibleData, visibleJson, visibleText } from '../../lib/visible.ts';

export const STDOUT = 1;
export const STDERR = 2;

const PAUSE_MS = 5;

type Output = typeof STDOUT | typeof STDERR;

/** What a pipe takes without blocking if it is writable at all: PIPE_BUF. */
const SURELY_TAKEN = process.platform === 'linux' ? 4_096 : 512;

/** What to do when the reader of an output does not take everything in time. The output is written nevertheless. */
export interface Patience {
  ms: number;
  onLate(): void;
}

/**
 * The only way to an output of a command. Returns when the system has accepted everything; throws when the pipe is
 * closed. A terminal gets nothing that it could obey.
 */
export function writeAll(to: Output, text: string, patience?: Patience): void {
  const bytes = Buffer.from(isTerminal(to) ? visibleText(text) : text);
  let rest: Buffer = patience ? writeInTime(to, bytes, patience) : bytes;
  while (rest.length > 0) rest = rest.subarray(writeSome(to, rest));
}

/** Returns what was not taken in time. */
function writeInTime(to: Output, bytes: Buffer, { ms, onLate }: Patience): Buffer {
  const until = monotonicMs() + ms;
  let rest = bytes;
  while (rest.length > 0) {
    if (!isWritable(to, Math.max(0, Math.ceil(until - monotonicMs())))) {
      onLate();
      return rest;
    }
    rest = rest.subarray(writeSome(to, rest.subarray(0, SURELY_TAKEN)));
  }
  return rest;
}

function writeSome(to: number, bytes: Buffer): number {
  try {
    return writeSync(to, bytes);
  } catch (thrown) {
    if (!isFull(thrown)) throw thrown;
    // The pipe is non-blocking, and its reader is behind.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    return 0;
  }
}

function isFull(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN';
}

export function writeJson(to: Output, value: object, patience?: Patience): void {
  writeAll(to, `${visibleJson(value)}\n`, patience);
}

/** How the text of a letter is shown on this output: control characters stay as they are in a pipe or a file. */
export function letterTextFor(to: Output): (text: string) => string {
  return isTerminal(to) ? visibleText : visibleData;
}

/** Not `isatty`, which loads a lot. Other character devices discard what they get. */
function isTerminal(to: Output): boolean {
  try {
    return fstatSync(to).isCharacterDevice();
  } catch {
    // It is closed, which the write reports.
    return true;
  }
}
