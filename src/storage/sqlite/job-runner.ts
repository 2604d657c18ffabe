import type { Worker } from 'node:worker_threads';
import { AppError, type ErrorView } from '../../domain/errors.ts';
import type { JobInput, JobName, JobOutput, Progress } from './jobs.ts';

export interface Assignment {
  location: string;
  name: JobName;
  input: unknown;
}

export type WorkerMessage =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done'; output: unknown }
  | { kind: 'failed'; error: ErrorView; cause: string };

export interface JobRunner {
  /** Starts a worker for this job and stops it afterwards. */
  run<Name extends JobName>(name: Name, input: JobInput<Name>, progress?: Progress): Promise<JobOutput<Name>>;
  /** Stops running jobs; their callers get an error, and what a job had not committed is rolled back. */
  stop(): Promise<void>;
}

export function createJobRunner(location: string): JobRunner {
  const workers = new Set<Worker>();
  let stopped = false;
  return {
    async run<Name extends JobName>(name: Name, input: JobInput<Name>, progress?: Progress) {
      const { Worker } = await import('node:worker_threads');
      if (stopped) throw storeClosed();
      const worker = new Worker(workerUrl(), { workerData: { location, name, input } satisfies Assignment });
      workers.add(worker);
      try {
        return (await resultOf(worker, progress)) as JobOutput<Name>;
      } finally {
        workers.delete(worker);
        await worker.terminate();
      }
    },
    async stop() {
      stopped = true;
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}

/** In the source tree beside this file; in the bundle, where all chunks are in one folder, by the name of its entry. */
export function workerUrl(here: string = import.meta.url): URL {
  return new URL(here.endsWith('.ts') ? './worker.ts' : './store-worker.js', here);
}

function resultOf(worker: Worker, progress: Progress = () => {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'progress') progress(message.done, message.total);
      else if (message.kind === 'done') resolve(message.output);
      else reject(toAppError(message));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(storeClosed()));
  });
}

function toAppError({ error, cause }: WorkerMessage & { kind: 'failed' }): AppError {
  return new AppError(error.code, error.message, { field: error.field, hint: error.hint, cause });
}

function storeClosed(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The store was closed before the job was done.');
}
