import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../domain/errors.ts';

export interface Lock {
  release(): void;
}

/**
 * The lock of a home: whoever has it owns the store and the networks. It is an SQLite file held exclusively, which is
 * the one lock of the operating system that Node reaches without native code: it goes with the process, however that
 * ends, so that no lock is ever stale and no pid is ever mistaken for another's.
 */
export function takeLock(path: string): Lock | undefined {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path, { timeout: 0 });
    file.exec('pragma journal_mode = memory; begin exclusive');
    const { close } = file;
    return { release: close.bind(file) };
  } catch (cause) {
    if (file?.isOpen) file.close();
    if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw new AppError('SERVICE_UNAVAILABLE', `The lock ${path} cannot be taken: the folder must be writable.`, {
      hint: 'SWITCHBOARD_HOME can name another folder.',
      cause,
    });
  }
}

const SQLITE_BUSY = 5;
