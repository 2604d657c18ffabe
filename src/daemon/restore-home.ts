import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { takeHomeLock } from './home-lock.ts';

type Progress = (done: number, total: number) => void;

interface Parts<Restored> {
  home: string;
  clock: Clock;
  /** Replaces the store by a backup, and keeps the previous store. */
  restoreStore(files: { from: string; location: string; keepAs: string; progress?: Progress }): Promise<Restored>;
}

/** Restores the store of a home without an owner, and owns the home during that. */
export function createRestore<Restored extends object>({ home, clock, restoreStore }: Parts<Restored>) {
  return {
    async restore(from: string, progress?: Progress): Promise<Restored & { path: string }> {
      const lock = takeHomeLock(home);
      if (!lock) throw owned(home);
      try {
        const location = join(home, 'switchboard.db');
        const timestamp = new Date(clock.now()).toISOString().replaceAll(/[-:]/g, '').replace('.', '-');
        const keepAs = join(home, 'backups', `switchboard-before-restore-${timestamp}.db`);
        const restored = await restoreStore({ from, location, keepAs, ...(progress ? { progress } : {}) });
        return { path: location, ...restored };
      } finally {
        lock.release();
      }
    },
  };
}

function owned(home: string): AppError {
  return new AppError('CONFLICT', `Another process owns ${home}: the store cannot be replaced under it.`, {
    hint: 'End it first: `switchboard daemon stop`, or Ctrl-C where `switchboard serve` runs.',
  });
}
