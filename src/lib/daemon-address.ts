import { hash } from 'node:crypto';
import { join } from 'node:path';

/** A socket's path has room for 104 bytes on macOS and 108 on Linux, its end included. */
const LONGEST = 100;

/**
 * Where the daemon of a home listens. Every process of the user must come to the same answer, so that it depends on
 * nothing but the home: not even on TMPDIR, which differs from program to program.
 */
export function daemonAddress(home: string): string {
  const path = join(home, 'run', 'daemon.sock');
  if (Buffer.byteLength(path) <= LONGEST) return path;
  return `/tmp/switchboard-${process.getuid?.() ?? 0}-${hash('sha256', home).slice(0, 16)}.sock`;
}

/** What a daemon writes that came up by itself. */
export function daemonLog(home: string): string {
  return join(home, 'logs', 'daemon.log');
}
