import type { Background } from './background.ts';
import { type Connection, MEMORY } from './connection.ts';

/** 64 MB: less would be written back too often, more would be long to look through. */
const PAGES_DUE = 16 * 1024;

/** Takes what is in the write-ahead log back into the store, which waits for the disk: in the background. */
export interface WriteBack {
  /** Begins it where there is enough in the log and gives when it has ended, at once where there is not. */
  ifDue(connection: Connection): Promise<void>;
  /** Resolves when none is running. */
  settled(): Promise<void>;
}

interface WriteBackOptions {
  location: string;
  background: Pick<Background, 'run'>;
  /** Lets nobody write until the job is done. */
  exclusively<T>(job: () => Promise<T>): Promise<T>;
  pagesDue?: number;
}

export function createWriteBack(options: WriteBackOptions): WriteBack {
  const { location, background, exclusively, pagesDue = PAGES_DUE } = options;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    try {
      await background.run({ kind: 'write-back' });
      // The log comes to its end only while nobody adds to it.
      await exclusively(() => background.run({ kind: 'new-log' }));
    } catch {
      // What was committed is in the log, and stays there until it can be written back.
    } finally {
      running = undefined;
    }
  }

  return {
    async ifDue(connection) {
      if (location !== MEMORY && pagesIn(connection) >= pagesDue) running ??= run();
      return running;
    },
    settled: async () => running,
  };
}

/** Where SQLite is older than 3.51 it takes `noop` for `passive`, and writes back here what it would by itself. */
function pagesIn(connection: Connection): number {
  try {
    return Number(connection.statement('pragma wal_checkpoint(noop)').get()?.log);
  } catch {
    // The connection is of no use any more; the next one will tell.
    return 0;
  }
}
