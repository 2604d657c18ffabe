import type { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { workerUrl } from '../../lib/worker.ts';
import { performTask } from './background-task.ts';
import type { FullTextIndex } from './chat/merge-segments.ts';
import { createWaitingWriters, type WaitingWriters } from './waiting-writers.ts';

/** Work that is slow or waits for the disk and that no caller waits for. */
export type BackgroundTask =
  /** Nothing, after the thread was started. */
  | { kind: 'start' }
  /** Copies WAL pages into the database file, as far as readers and writers allow. */
  | { kind: 'checkpoint' }
  /** Copies the remaining pages and truncates the WAL. No other writer may run during that. */
  | { kind: 'truncate-wal' }
  /**
   * Merges segments of a full-text index, see `mergeSegments`. No other writer may run during that. `canStop`: less is merged if a
   * writer waits.
   */
  | { kind: 'merge'; index: FullTextIndex; pages: number; canStop?: boolean }
  /** Adds pairs of words of some messages, see `indexSomePairs`; of fewer if a writer waits. No other writer may run during that. */
  | { kind: 'index-pairs' };

/** What the thread is started with. */
export interface BackgroundAssignment {
  location: string;
  /** See `WaitingWriters`. */
  writers: SharedArrayBuffer;
}

export interface NumberedTask {
  number: number;
  task: BackgroundTask;
}

export interface BackgroundReply {
  number: number;
  more?: boolean;
  /** `errcode` is SQLite's result code, if it has one. */
  failure?: { message: string; errcode?: number };
}

/** A worker thread with its own connection. It is started by the first task and stopped after a time without tasks. */
export interface Background {
  /** Starts the thread, if it is not running: that takes longer than most tasks. */
  start(): Promise<void>;
  /**
   * Returns whether more of the task is left. Rejects if the task failed or the thread was stopped before it was
   * done.
   */
  run(task: BackgroundTask): Promise<boolean>;
  /** Stops the thread. The next task starts another one. */
  terminate(): Promise<void>;
  stop(): Promise<void>;
}

/** For a thread that serves nobody, such as that of an import: it performs tasks itself. */
export function createOwnBackground(connection: () => DatabaseSync): Background {
  return {
    start: async () => {},
    run: async (task) => performTask(connection(), task, () => false),
    terminate: async () => {},
    stop: async () => {},
  };
}

const IDLE_MS = 5_000;

export function createBackground(
  location: string,
  { writers = createWaitingWriters(), idleMs = IDLE_MS }: { writers?: WaitingWriters; idleMs?: number } = {},
): Background {
  const assignment: BackgroundAssignment = { location, writers: writers.shared };
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

  async function run(task: BackgroundTask): Promise<boolean> {
    const { Worker } = await import('node:worker_threads');
    if (stopped) throw new Error('The store is closed.');
    clearTimeout(idle);
    if (!thread?.isAlive())
      thread = watchWorker(new Worker(workerUrl('./background-worker', import.meta.url), { workerData: assignment }));
    running += 1;
    try {
      return await thread.run(task);
    } finally {
      running -= 1;
      if (running === 0 && !stopped) idle = setTimeout(() => void terminate(), idleMs).unref();
    }
  }

  return {
    async start() {
      // The task that follows reports why it cannot be started.
      if (!thread?.isAlive()) await run({ kind: 'start' }).catch(() => {});
    },
    run,
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
  worker.on('exit', () => rejectAll(new Error('The background thread ended before the task was done.')));

  return {
    isAlive: () => alive,
    run(task) {
      last += 1;
      const reply = Promise.withResolvers<boolean>();
      pending.set(last, reply);
      // The thread keeps the process alive only while a task is pending.
      worker.ref();
      worker.postMessage({ number: last, task } satisfies NumberedTask);
      return reply.promise;
    },
    end: async () => void (await worker.terminate()),
  };
}
