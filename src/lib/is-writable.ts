import { endianness } from 'node:os';
import { loadForeignFunctions } from './foreign-functions.ts';

const POLLOUT = 4;

let poll: ((...args: unknown[]) => number) | undefined;

/**
 * Whether an open file accepts bytes within that time; true also if a write would fail, which tells why. Blocks the
 * thread.
 */
export function isWritable(file: number, withinMs: number): boolean {
  poll ??= loadForeignFunctions().load(null).func('int poll(void *files, unsigned long count, int timeout)');
  const asked = endianness() === 'LE' ? POLLOUT : POLLOUT << 16;
  // struct pollfd: a file, the events that are asked for, the events that are returned.
  return poll(new Int32Array([file, asked]), 1, withinMs) !== 0;
}
