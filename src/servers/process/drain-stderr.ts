import type { Readable } from 'node:stream';
import type { ServerOutput } from './server-process.ts';

/** 13 MB/s: more than a server can need, and it costs few percent of a core. A flood waits for the next window. */
const WINDOW_MS = 10;
const WINDOW_BYTES = 128 * 1024;

/** Reads stderr to its end: a server would stall on a full pipe. */
export function drainStderr(stderr: Readable, output: ServerOutput): void {
  let windowBegan = performance.now();
  let taken = 0;
  stderr.on('error', () => {});
  stderr.on('data', (chunk: Buffer) => {
    output.write('stderr', chunk);
    const now = performance.now();
    if (now - windowBegan >= WINDOW_MS) {
      windowBegan = now;
      taken = 0;
    }
    taken += chunk.length;
    if (taken < WINDOW_BYTES) return;
    stderr.pause();
    setTimeout(() => stderr.resume(), windowBegan + WINDOW_MS - now);
  });
}
