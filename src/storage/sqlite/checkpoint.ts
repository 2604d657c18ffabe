import type { Background } from './background.ts';
import { MEMORY, type SqliteConnection } from './connection.ts';

/** 64 MB. A smaller WAL would be checkpointed too often, a larger one would slow down reads. */
const MIN_WAL_PAGES = 16 * 1024;

/** Copies the write-ahead log into the database file. That waits for the disk, so it runs in the background. */
export interface Checkpointer {
  /** Starts a checkpoint if the WAL is large enough. Resolves when it has ended, or immediately if none was needed. */
  runIfDue(connection: SqliteConnection): Promise<void>;
  /** Resolves when no checkpoint is running. */
  whenIdle(): Promise<void>;
}

interface CheckpointerOptions {
  location: string;
  background: Pick<Background, 'run'>;
  /** Blocks writers until the job is done. */
  exclusively<T>(job: () => Promise<T>): Promise<T>;
  minPages?: number;
}

export function createCheckpointer(options: CheckpointerOptions): Checkpointer {
  const { location, background, exclusively, minPages = MIN_WAL_PAGES } = options;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    try {
      await background.run({ kind: 'checkpoint' });
      // The WAL can be truncated only while no transaction is appended to it.
      await exclusively(() => background.run({ kind: 'truncate-wal' }));
    } catch {
      // Committed data remains in the WAL until a later checkpoint succeeds.
    } finally {
      running = undefined;
    }
  }

  return {
    async runIfDue(connection) {
      if (location !== MEMORY && walPages(connection) >= minPages) running ??= run();
      return running;
    },
    whenIdle: async () => running,
  };
}

/** SQLite before 3.51 treats `noop` as `passive`, so there it checkpoints here. */
function walPages(connection: SqliteConnection): number {
  try {
    return Number(connection.statement('pragma wal_checkpoint(noop)').get()?.log);
  } catch {
    // The connection is broken; the next call opens another one.
    return 0;
  }
}
