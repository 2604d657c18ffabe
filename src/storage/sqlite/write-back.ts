import type { Worker } from 'node:worker_threads';
import { type Connection, MEMORY } from './connection.ts';

/** 64 MB: less would be written back too often, more would be long to look through. */
const PAGES_DUE = 16 * 1024;

/** Takes what is in the write-ahead log back into the store, which waits for the disk: in a thread of its own. */
export interface WriteBack {
  /** Begins it where there is enough in the log and gives when it has ended, at once where there is not. */
  ifDue(connection: Connection): Promise<void>;
  /** Ends it wherever it is; what is in the log stays there. */
  stop(): Promise<void>;
}

interface WriteBackOptions {
  /** Lets nobody write until the job is done. */
  exclusively(job: () => Promise<void>): Promise<void>;
  pagesDue?: number;
}

/** What the thread tells: all but the newest is written back; everything is, and the log begins anew. */
export type WriteBackStep = 'nearly' | 'done';

export function createWriteBack(location: string, { exclusively, pagesDue = PAGES_DUE }: WriteBackOptions): WriteBack {
  let thread: Thread | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;

  async function run(): Promise<void> {
    try {
      const { Worker } = await import('node:worker_threads');
      if (stopped) return;
      const begun = follow(new Worker(workerUrl(), { workerData: location }));
      thread = begun;
      await begun.nearly;
      // The log comes to its end only while nobody adds to it.
      await exclusively(begun.finish);
    } catch {
      // What was committed is in the log, and stays there until it can be written back.
    } finally {
      await thread?.end();
      thread = undefined;
      running = undefined;
    }
  }

  return {
    async ifDue(connection) {
      if (location !== MEMORY && !stopped && pagesIn(connection) >= pagesDue) running ??= run();
      return running;
    },
    async stop() {
      stopped = true;
      await thread?.end();
    },
  };
}

interface Thread {
  nearly: Promise<void>;
  finish(): Promise<void>;
  end(): Promise<void>;
}

function follow(worker: Worker): Thread {
  const steps = { nearly: Promise.withResolvers<void>(), done: Promise.withResolvers<void>() };
  const fail = (error: unknown) => {
    for (const { reject, promise } of Object.values(steps)) {
      promise.catch(() => {});
      reject(error);
    }
  };
  worker.on('message', (step: WriteBackStep) => steps[step].resolve());
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The thread ended before it was done.')));
  return {
    nearly: steps.nearly.promise,
    finish() {
      worker.postMessage('finish');
      return steps.done.promise;
    },
    end: async () => void (await worker.terminate()),
  };
}

/** Beside this file when the source runs, and in the bundle. */
function workerUrl(here: string = import.meta.url): URL {
  return new URL(here.endsWith('.ts') ? './write-back-worker.ts' : './write-back-worker.js', here);
}

function pagesIn(connection: Connection): number {
  try {
    return Number(connection.statement('pragma wal_checkpoint(noop)').get()?.log);
  } catch {
    // The connection is of no use any more; the next one will tell.
    return 0;
  }
}
