import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../domain/errors.ts';
import { existingFileUrl } from './connection.ts';
import type { Assignment, WorkerMessage } from './job-runner.ts';
import { JOBS, type Progress } from './jobs.ts';
import { toStoreError } from './store-error.ts';

/** Long, because a worker may block its own thread. */
const BUSY_TIMEOUT_MS = 10_000;

const { location, name, input } = workerData as Assignment;
const progress: Progress = (done, total) => post({ kind: 'progress', done, total });

try {
  const db = new DatabaseSync(existingFileUrl(location), { timeout: BUSY_TIMEOUT_MS });
  const job = JOBS[name] as (db: DatabaseSync, input: unknown, progress: Progress) => Promise<unknown>;
  const output = await job(db, input, progress);
  db.close();
  post({ kind: 'done', output });
} catch (thrown) {
  const error = toStoreError(thrown, location);
  if (!(error instanceof AppError)) throw error;
  post({ kind: 'failed', error: error.toJSON(), cause: String(error.cause) });
}

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}
