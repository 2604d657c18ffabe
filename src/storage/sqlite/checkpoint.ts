import type { Background } from './background.ts';
import { MEMORY, type SqliteConnection } from './connection.ts';

/** 64 MB: less would be written back too often, more would be long to look through. */
const MIN_WAL_PAGES = 16 * 1024;

/** Takes what is in the write-ahead log back into the store, which waits for the disk: in the background. */
export interface Checkpointer {
  /** Begins it where there is enough in the log and gives when it has ended, at once where there is not. */
  runIfDue(connection: SqliteConnection): Promise<void>;
  /** Resolves when none is running. */
  whenIdle(): Promise<void>;
}

interface CheckpointerOptions {
  location: string;
  background: Pick<Background, 'run'>;
  /** Lets nobody write until the job is done. */
  exclusively<T>(job: () => Promise<T>): Promise<T>;
  minPages?: number;
}

export function createCheckpointer(options: CheckpointerOptions): Checkpointer {
  const { location, background, exclusively, minPages = MIN_WAL_PAGES } = options;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    try {
      await background.run({ kind: 'checkpoint' });
      // The log comes to its end only while nobody adds to it.
      await exclusively(() => background.run({ kind: 'truncate-wal' }));
    } catch {
      // What was committed is in the log, and stays there until it can be written back.
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

/** Where SQLite is older than 3.51 it takes `noop` for `passive`, and writes back here what it would by itself. */
function walPages(connection: SqliteConnection): number {
  try {
    return Number(connection.statement('pragma wal_checkpoint(noop)').get()?.log);
  } catch {
    // The connection is of no use any more; the next one will tell.
    return 0;
  }
}
