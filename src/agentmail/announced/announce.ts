import { closeSync, lstatSync, openSync, renameSync, rmSync, utimesSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isOwnFolder, makeOwnFolder } from '../../lib/own-folder.ts';
import { sha256Hex } from '../../lib/sha256.ts';

/** A repository in which the `agentmail` command was used, and from where. */
export interface Announcement {
  /** The shared `.agentmail` folder. */
  folder: string;
  session?: { tmux: string; pane: string };
}

export const ANNOUNCED = join('run', 'agentmail');

/**
 * Tells the daemon of a home that a repository has mail, by a small file that is written once and touched afterwards: the
 * command stays fast, and it also works while no daemon runs. Returns false where there is no home that this user alone can
 * write to; then nothing is created.
 */
export function announce(home: string, announcement: Announcement): boolean {
  try {
    const folder = join(home, ANNOUNCED);
    if (!isOwnFolder(dirname(folder)) || !makeOwnFolder(folder)) return false;
    const text = JSON.stringify(announcement);
    const path = join(folder, `${sha256Hex(text)}.json`);
    if (!touched(path)) write(path, text);
    return true;
  } catch {
    // A sandbox may forbid it; the mail itself was sent.
    return false;
  }
}

function touched(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const now = new Date();
  utimesSync(path, now, now);
  return true;
}

/** Whole or not at all, because the daemon may read at any time. */
function write(path: string, text: string): void {
  const partial = `${path}.${process.pid}.partial`;
  rmSync(partial, { force: true });
  const file = openSync(partial, 'wx', 0o600);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
  renameSync(partial, path);
}
