import { DatabaseSync } from 'node:sqlite';

export interface Lock {
  release(): void;
}

/**
 * The lock of a home: whoever has it owns the store and the networks. It is an SQLite file held exclusively, which is
 * the one lock of the operating system that Node reaches without native code: it goes with the process, however that
 * ends, so that no lock is ever stale and no pid is ever mistaken for another's.
 */
export function takeLock(path: string): Lock | undefined {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return { release: () => file.close() };
}

const SQLITE_BUSY = 5;
