import type { Worker } from 'node:worker_threads';
import type { FullTextIndex } from './chat/merge-segments.ts';

/** What takes long, or waits for the disk, and that nobody waits for. */
export type BackgroundTask =
  /** Takes the write-ahead log into the store, as far as nobody is in the way. */
  | { kind: 'checkpoint' }
  /** The rest of it, and begins the log anew; nobody may write meanwhile. */
  | { kind: 'truncate-wal' }
  /** As `merge` does it; nobody may write meanwhile. */
  | { kind: 'merge'; index: FullTextIndex; pages: number };

export interface NumberedTask {
  number: number;
  task: BackgroundTask;
}

export interface BackgroundReply {
  number: number;
  more?: boolean;
  /** With SQLite's code, where it has one. */
  failure?: { message: string; errcode?: number };
}

/** A thread with a connection of its own. It comes with the first task, and goes when there has been none for a while. */
export interface Background {
  /** Whether there is more of it to do. Rejects where it failed, and where it was ended before it was done. */
  run(task: BackgroundTask): Promise<boolean>;
  /** Ends the thread until the next task. */
  terminate(): Promise<void>;
  stop(): Promise<void>;
}

const IDLE_MS = 5_000;

export function createBackground(location: string, idleMs = IDLE_MS): Background {
  let thread: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let running = 0;
  let stopped = false;

  async function terminate(): Promise<void> {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    await ended?.end();
  }

  return {
    async run(task) {
      const { Worker } = await import('node:worker_threads');
      if (stopped) throw new Error('The store is closed.');
      clearTimeout(idle);
      if (!thread?.isAlive()) thread = watchWorker(new Worker(workerUrl(), { workerData: location }));
      running += 1;
      try {
        return await thread.run(task);
      } finally {
        running -= 1;
        if (running === 0 && !stopped) idle = setTimeout(() => void terminate(), idleMs).unref();
      }
    },
    terminate,
    async stop() {
      stopped = true;
      await terminate();
    },
  };
}

interface Thread {
  run(task: BackgroundTask): Promise<boolean>;
  isAlive(): boolean;
  end(): Promise<void>;
}

function watchWorker(worker: Worker): Thread {
  const pending = new Map<number, PromiseWithResolvers<boolean>>();
  let last = 0;
  let alive = true;

  function rejectAll(error: Error): void {
    alive = false;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  }

  worker.unref();
  worker.on('message', ({ number, more = false, failure }: BackgroundReply) => {
    const reply = pending.get(number);
    pending.delete(number);
    if (pending.size === 0) worker.unref();
    if (failure === undefined) reply?.resolve(more);
    else reply?.reject(Object.assign(new Error(failure.message), failure));
  });
  worker.on('error', rejectAll);
  worker.on('exit', () => rejectAll(new Error('The thread ended before it was done.')));

  return {
    isAlive: () => alive,
    run(task) {
      last += 1;
      const reply = Promise.withResolvers<boolean>();
      pending.set(last, reply);
      // Only while somebody waits does it keep the process.
      worker.ref();
      worker.postMessage({ number: last, task } satisfies NumberedTask);
      return reply.promise;
    },
    end: async () => void (await worker.terminate()),
  };
}

/** Beside this file when the source runs, and in the bundle. */
function workerUrl(here: string = import.meta.url): URL {
  return new URL(here.endsWith('.ts') ? './background-worker.ts' : './background-worker.js', here);
}
