import type { DatabaseSync } from 'node:sqlite';
import type { BackgroundTask } from './background.ts';
import { mergeSegments } from './chat/merge-segments.ts';

/** Performs a task on a connection. Returns whether more of it is left to do. */
export function performTask(db: DatabaseSync, task: BackgroundTask): boolean {
  switch (task.kind) {
    case 'checkpoint':
      db.exec('pragma wal_checkpoint(passive)');
      return false;
    case 'truncate-wal':
      db.exec('pragma wal_checkpoint(truncate)');
      // The first commit after a truncation syncs the WAL header. Doing it here spares the next writer that wait.
      return inTransaction(db, () => {
        db.exec('pragma user_version = 0');
        return false;
      });
    case 'merge':
      return inTransaction(db, () =>
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

function inTransaction(db: DatabaseSync, work: () => boolean): boolean {
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
