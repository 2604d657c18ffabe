import { DatabaseSync } from 'node:sqlite';

export interface Lock {
  release(): void;
}

/**
 * Takes an exclusive lock; undefined where another process has it. The lock is an SQLite file held exclusively, the one
 * lock of the operating system that Node reaches without native code. It ends with its process, so that no lock is ever
 * stale. Files that other programs lock as well need the lock that those use: see flock.ts.
 */
export function takeLock(path: string): Lock | undefined {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path, { timeout: 0 });
    file.exec('pragma journal_mode = memory; begin exclusive');
    const { close } = file;
    return { release: close.bind(file) };
  } catch (error) {
    if (file?.isOpen) file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

const SQLITE_BUSY = 5;
