import { lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Hex } from './sha256.ts';

/** A socket path has at most 104 bytes on macOS and 108 on Linux, including the terminator. */
const LONGEST = 100;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * The socket path of the daemon of a home. Every process of the user must compute the same path, so it depends on
 * nothing but the home: not even on TMPDIR, which differs from program to program.
 */
export function daemonAddress(home: string): string {
  const path = join(home, 'run', 'daemon.sock');
  if (Buffer.byteLength(path) <= LONGEST) return path;
  return `/tmp/switchboard-${process.getuid?.() ?? 0}-${sha256Hex(home).slice(0, 16)}/daemon.sock`;
}

/** The folder of the socket where it is not in the home. */
export function outsideFolder(home: string): string | undefined {
  const folder = dirname(daemonAddress(home));
  return folder === join(home, 'run') ? undefined : folder;
}

/**
 * Whether only this user can put something into a folder. Anyone can make a folder in /tmp with the name of ours, or a link,
 * and wait there for what we send. In a folder that is ours nothing can be replaced between this check and its use.
 */
export function isPrivateFolder(folder: string, user: number | undefined = process.getuid?.()): boolean {
  try {
    const found = lstatSync(folder);
    const above = statSync(dirname(folder)).mode;
    return (
      found.isDirectory() &&
      (user === undefined || found.uid === user) &&
      (found.mode & WRITABLE_BY_OTHERS) === 0 &&
      ((above & WRITABLE_BY_OTHERS) === 0 || (above & STICKY) !== 0)
    );
  } catch {
    return false;
  }
}

/** The log of an auto-started daemon. */
export function daemonLog(home: string): string {
  return join(home, 'logs', 'daemon.log');
}
