import { fstatSync, writeSync } from 'node:fs';
import { visibleData, visibleJson, visibleText } from '../../lib/visible.ts';

export const STDOUT = 1;
export const STDERR = 2;

const PAUSE_MS = 5;

type Output = typeof STDOUT | typeof STDERR;

/**
 * The only way to an output of a command. Returns when the system has accepted everything; throws when the pipe is
 * closed. A terminal gets nothing that it could obey.
 */
export function writeAll(to: Output, text: string): void {
  let rest = Buffer.from(isTerminal(to) ? visibleText(text) : text);
  while (rest.length > 0) rest = rest.subarray(writeSome(to, rest));
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

export function writeJson(to: Output, value: object): void {
  writeAll(to, `${visibleJson(value)}\n`);
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
