import { closeSync, openSync, readSync } from 'node:fs';

const KERNEL = '/dev/urandom';
const POOL_BYTES = 512;

let pool = Buffer.alloc(0);

/**
 * Unpredictable hexadecimal digits from the kernel, which `node:crypto` uses too. Loading that module takes longer
 * than opening the store, and a process that serves stdio needs it for nothing else.
 */
export function randomHex(digits: number): string {
  const bytes = Math.ceil(digits / 2);
  if (pool.length < bytes) pool = readKernel(Math.max(bytes, POOL_BYTES));
  const taken = pool.subarray(0, bytes);
  pool = pool.subarray(bytes);
  return taken.toString('hex').slice(0, digits);
}

function readKernel(bytes: number): Buffer<ArrayBuffer> {
  const buffer = Buffer.alloc(bytes);
  const file = openSync(KERNEL, 'r');
  try {
    for (let filled = 0; filled < bytes; ) filled += readSync(file, buffer, filled, bytes - filled, null);
  } finally {
    closeSync(file);
  }
  return buffer;
}
