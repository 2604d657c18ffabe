import { writeSync } from 'node:fs';

const RETRY_MS = 5;

/** Writes a line to standard output before it returns. Under load the reader may be late: a pipe that is full is tried again. */
export function printLine(text: string): void {
  let rest = Buffer.from(`${text}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSome(rest));
}

function writeSome(bytes: Buffer): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    return 0;
  }
}
