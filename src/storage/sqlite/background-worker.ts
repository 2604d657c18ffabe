import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { BackgroundAssignment, BackgroundReply, NumberedTask } from './background.ts';
import { performTask } from './background-task.ts';
import { existingFileUrl, fileIdentity } from './connection.ts';
import { breaksConnection } from './store-error.ts';
import { createWaitingWriters } from './waiting-writers.ts';

/** Short, because a task that finds the database busy is tried again later. */
const BUSY_TIMEOUT_MS = 100;

const { location, writers } = workerData as BackgroundAssignment;
const { isAny: isWriterWaiting } = createWaitingWriters(writers);
const identity = fileIdentity(location);
const db = new DatabaseSync(existingFileUrl(location), { timeout: BUSY_TIMEOUT_MS });
// Losing the last task in a power loss does no harm, and checkpoints run only when requested.
db.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0');

parentPort?.on('message', ({ number, task }: NumberedTask) => {
  try {
    // The WAL is found by path. If the path leads to another file, its WAL belongs to that file and must not be
    // checkpointed.
    if (fileIdentity(location) !== identity) throw new Error('Another file has replaced the store.');
    reply({ number, more: performTask(db, task, isWriterWaiting) });
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    reply({ number, failure: { message, ...(errcode === undefined ? {} : { errcode }) } });
    if (errcode === undefined || breaksConnection(error)) parentPort?.close();
  }
});

function reply(message: BackgroundReply): void {
  parentPort?.postMessage(message);
}
