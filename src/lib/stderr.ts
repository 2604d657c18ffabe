import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const STDERR = 2;
/** Maximum number of buffered lines if the reader does not read; further lines are dropped. */
const MOST_WAITING = 4_194_304;
const RETRY_MS = 10;
/** How long a process that exits waits for a reader that does not read. */
const PATIENCE_MS = 250;

let opened = false;
let waiting: Buffer[] = [];
let waitingBytes = 0;
let dropped = 0;
let retry: NodeJS.Timeout | undefined;

/**
 * Writes immediately if the reader keeps up. A client that never reads stderr neither blocks the process nor makes it
 * grow, one that closes it does not end it, and no line is lost at exit.
 */
export function writeToStderr(line: string): void {
  openStderr();
  if (waitingBytes > MOST_WAITING) {
    dropped += 1;
    return;
  }
  add(line);
  if (retry === undefined) drain();
}

/** Other exit handlers that write must be registered before this one. */
export function openStderr(): void {
  if (opened) return;
  opened = true;
  // Its first use makes a pipe non-blocking, so that a write fails when the pipe is full instead of blocking.
  process.stderr.on('error', () => {});
  process.on('exit', drainLast);
}

/** Resolves when everything is written, or the reader has not read for a while. */
export async function stderrDrained(): Promise<void> {
  const isWorthWaiting = patience();
  while (isWorthWaiting()) await sleep(RETRY_MS);
}

export function isTerminal(): boolean {
  return process.stderr.isTTY === true && !process.env.NO_COLOR;
}

function add(line: string): void {
  const bytes = Buffer.from(line);
  waiting.push(bytes);
  waitingBytes += bytes.length;
}

function drain(): void {
  retry = undefined;
  try {
    writeWaiting();
  } catch (error) {
    if (isFull(error)) retry = setTimeout(drain, RETRY_MS).unref();
    else forget();
  }
}

function writeWaiting(): void {
  for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
    const written = writeSync(STDERR, first);
    waitingBytes -= written;
    if (written < first.length) waiting[0] = first.subarray(written);
    else waiting.shift();
    if (waiting.length === 0 && dropped > 0) tellDropped();
  }
}

function tellDropped(): void {
  add(`{"level":"warn","msg":"${dropped} lines of the log were dropped because nobody read them"}\n`);
  dropped = 0;
}

function drainLast(): void {
  const isWorthWaiting = patience();
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (drain(); isWorthWaiting(); drain()) Atomics.wait(pause, 0, 0, RETRY_MS);
}

/** Whether something is buffered and the reader has read recently. */
function patience(): () => boolean {
  let left = waitingBytes;
  let since = Date.now();
  return () => {
    if (waitingBytes !== left) since = Date.now();
    left = waitingBytes;
    return waiting.length > 0 && Date.now() - since < PATIENCE_MS;
  };
}

/** The reader has closed the pipe. */
function forget(): void {
  waiting = [];
  waitingBytes = 0;
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
