import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { BackgroundTask } from './background.ts';
import { indexSomePairs } from './chat/index-pairs.ts';
import { mergeInSteps, mergeSegments } from './chat/merge-segments.ts';
import type { Transaction } from './database.ts';

/** Performs a task on a connection, or less of it if it can stop and a writer waits. Returns whether more of it is left to do. */
export function performTask(db: DatabaseSync, task: BackgroundTask, isWriterWaiting: () => boolean): boolean {
  switch (task.kind) {
    case 'start':
      return false;
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
        task.canStop
          ? mergeInSteps(transactionOn(db), task.index, task.pages, isWriterWaiting)
          : mergeSegments(transactionOn(db), task.index, task.pages),
      );
    case 'index-pairs':
      return inTransaction(db, () => indexSomePairs(transactionOn(db), isWriterWaiting));
  }
}

/** Each statement is prepared once. */
function transactionOn(db: DatabaseSync): Omit<Transaction, 'events'> {
  const statements = new Map<string, StatementSync>();
  function statement(sql: string): StatementSync {
    const known = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, known);
    return known;
  }
  return {
    get: (sql, ...values) => statement(sql).get(...values) as never,
    all: (sql, ...values) => statement(sql).all(...values) as never,
    run: (sql, ...values) => Number(statement(sql).run(...values).changes),
  };
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
