import { hash } from 'node:crypto';
import { join } from 'node:path';

/** A socket path has at most 104 bytes on macOS and 108 on Linux, including the terminator. */
const LONGEST = 100;

/**
 * The socket path of the daemon of a home. Every process of the user must compute the same path, so it depends on
 * nothing but the home: not even on TMPDIR, which differs from program to program.
 */
export function daemonAddress(home: string): string {
  const path = join(home, 'run', 'daemon.sock');
  if (Buffer.byteLength(path) <= LONGEST) return path;
  return `/tmp/switchboard-${process.getuid?.() ?? 0}-${hash('sha256', home).slice(0, 16)}.sock`;
}

/** The log of an auto-started daemon. */
export function daemonLog(home: string): string {
  return join(home, 'logs', 'daemon.log');
}
