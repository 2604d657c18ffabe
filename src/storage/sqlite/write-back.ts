import { type Connection, MEMORY } from './connection.ts';
import { createJobRunner } from './run-job.ts';

/** 64 MB: less would be written back too often, more would be long to look through. */
const PAGES_DUE = 16 * 1024;

/** Takes what is in the write-ahead log back into the store, which waits for the disk: in a thread of its own. */
export interface WriteBack {
  /** Nobody may write meanwhile, or the log would never come to its end. */
  ifDue(connection: Connection): Promise<void>;
  stop(): Promise<void>;
}

export function createWriteBack(location: string, pagesDue = PAGES_DUE): WriteBack {
  const jobs = createJobRunner(location);
  return {
    async ifDue(connection) {
      if (location === MEMORY) return;
      try {
        if (pagesIn(connection) >= pagesDue) await jobs.run('write-back', undefined);
      } catch {
        // What was committed is in the log, and stays there until it can be written back.
      }
    },
    stop: jobs.stop,
  };
}

function pagesIn(connection: Connection): number {
  const { log } = connection.statement('pragma wal_checkpoint(noop)').get() as { log: number };
  return log;
}
