import { writeSync } from 'node:fs';

export const STDOUT = 1;
export const STDERR = 2;

const PAUSE_MS = 5;

/** Returns when the system has accepted everything. Throws when the pipe is closed. */
export function writeAll(to: typeof STDOUT | typeof STDERR, text: string): void {
  let rest = Buffer.from(text);
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

/** Text of third parties on one line: characters that would move the cursor are escaped. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\p{C}/gu, (char) => JSON.stringify(char).slice(1, -1));
}
