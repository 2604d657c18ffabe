import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { BackgroundReply, BackgroundTask, NumberedTask } from './background.ts';
import { mergeSegments } from './chat/merge-segments.ts';
import { existingFileUrl, fileIdentity } from './connection.ts';
import { breaksConnection } from './store-error.ts';

/** Short, because a task that finds the database busy is tried again later. */
const BUSY_TIMEOUT_MS = 100;

const location = workerData as string;
const identity = fileIdentity(location);
const db = new DatabaseSync(existingFileUrl(location), { timeout: BUSY_TIMEOUT_MS });
// Losing the last task in a power loss does no harm, and checkpoints run only when requested.
db.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0');

parentPort?.on('message', ({ number, task }: NumberedTask) => {
  try {
    // The WAL is found by path. If the path leads to another file, its WAL belongs to that file and must not be
    // checkpointed.
    if (fileIdentity(location) !== identity) throw new Error('Another file has replaced the store.');
    reply({ number, more: perform(task) });
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    reply({ number, failure: { message, ...(errcode === undefined ? {} : { errcode }) } });
    if (errcode === undefined || breaksConnection(error)) parentPort?.close();
  }
});

/** Returns whether more of the task is left to do. */
function perform(task: BackgroundTask): boolean {
  switch (task.kind) {
    case 'checkpoint':
      db.exec('pragma wal_checkpoint(passive)');
      return false;
    case 'truncate-wal':
      db.exec('pragma wal_checkpoint(truncate)');
      // The first commit after a truncation syncs the WAL header. Doing it here spares the next writer that wait.
      return inTransaction(() => {
        db.exec('pragma user_version = 0');
        return false;
      });
    case 'merge':
      return inTransaction(() =>
        mergeSegments(
          {
            get: (sql) => db.prepare(sql).get() as never,
            run: (sql, ...values) => Number(db.prepare(sql).run(...values).changes),
          },
          task.index,
          task.pages,
        ),
      );
  }
}

function inTransaction(work: () => boolean): boolean {
  db.exec('begin immediate');
  try {
    const result = work();
    db.exec('commit');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

function reply(message: BackgroundReply): void {
  parentPort?.postMessage(message);
}
