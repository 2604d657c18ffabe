import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { type Lock, takeLock } from '../lib/lock.ts';

/** The lock of a home: its holder owns the store and the networks. Undefined if another process has it. */
export function takeHomeLock(home: string): Lock | undefined {
  const path = join(home, 'run', 'owner.lock');
  try {
    return takeLock(path);
  } catch (cause) {
    throw new AppError('SERVICE_UNAVAILABLE', `The lock ${path} cannot be taken: the folder must be writable.`, {
      hint: 'SWITCHBOARD_HOME can name another folder.',
      cause,
    });
  }
}
