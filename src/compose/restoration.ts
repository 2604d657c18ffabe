import { join } from 'node:path';
import { ensureHome } from '../config/home.ts';
import { takeHomeLock } from '../daemon/home-lock.ts';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { MigrationPlan } from '../storage/definition.ts';
import { restoreStore } from '../storage/restore.ts';

interface Parts {
  home: string;
  clock: Clock;
  migrations(): Promise<MigrationPlan>;
}

/** Restores the store of a home that nobody owns, and owns it meanwhile. */
export function restorationOf({ home, clock, migrations }: Parts) {
  return {
    async restore(from: string, progress?: (done: number, total: number) => void) {
      ensureHome(home);
      const lock = takeHomeLock(home);
      if (!lock) throw owned(home);
      try {
        const location = join(home, 'switchboard.db');
        const moment = new Date(clock.now()).toISOString().replaceAll(/[-:]/g, '').replace('.', '-');
        const keepAs = join(home, 'backups', `switchboard-before-restore-${moment}.db`);
        return {
          path: location,
          ...(await restoreStore({
            from,
            location,
            keepAs,
            migrations: await migrations(),
            ...(progress ? { progress } : {}),
          })),
        };
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
