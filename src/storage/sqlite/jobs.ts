import { backup, DatabaseSync } from 'node:sqlite';
import { AppError } from '../../domain/errors.ts';
import type { CheckReport } from '../../system/ports.ts';
import type { MigrationPlan } from '../definition.ts';
import { assertFits } from './migrate.ts';
import { schemaProblems } from './schema-problems.ts';
import { isDiskFailure, toStoreError } from './store-error.ts';

export type Progress = (done: number, total: number) => void;

/** Jobs without an upper bound on time. They run in a worker on their own connection. */
export const JOBS = {
  /** Copies the store into the empty file `to`, which is renamed to `target` later. */
  async backup(db: DatabaseSync, { to, target }: { to: string; target: string }, progress: Progress): Promise<void> {
    try {
      await copy(db, to, progress);
      finishBackup(to);
    } catch (error) {
      throw isDiskFailure(error) ? toStoreError(error, target) : error;
    }
  },

  async check(db: DatabaseSync, { migrations }: { migrations: MigrationPlan }): Promise<CheckReport> {
    const foreign = migrationProblems(db, migrations);
    const problems =
      foreign.length > 0 ? foreign : [...integrityProblems(db), ...referenceProblems(db), ...searchProblems(db)];
    return { ok: problems.length === 0, problems };
  },

  async vacuum(db: DatabaseSync): Promise<void> {
    db.exec('vacuum');
    db.exec('pragma wal_checkpoint(truncate)');
  },
};

export type JobName = keyof typeof JOBS;
export type JobInput<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[1];
export type JobOutput<Name extends JobName> = Awaited<ReturnType<(typeof JOBS)[Name]>>;

async function copy(db: DatabaseSync, to: string, progress: Progress): Promise<void> {
  // One snapshot for the whole copy; otherwise each write of another connection would restart it.
  db.exec('begin');
  try {
    db.prepare('select count(*) from sqlite_schema').get();
    await backup(db, to, {
      rate: 1_000,
      progress: ({ totalPages, remainingPages }) => progress(totalPages - remainingPages, totalPages),
    });
  } finally {
    db.exec('rollback');
  }
}

/** Makes the backup a single file without a WAL and checks it. */
function finishBackup(path: string): void {
  const written = new DatabaseSync(path);
  try {
    written.exec('pragma journal_mode = delete');
    const verdict = written.prepare('pragma quick_check(1)').get();
    if (verdict?.quick_check !== 'ok') {
      throw new AppError('CONFLICT', 'The store is damaged, so its copy is not a backup.', {
        hint: 'Run "switchboard db check", and put an earlier backup in place.',
      });
    }
  } finally {
    written.close();
  }
}

function integrityProblems(db: DatabaseSync): string[] {
  const rows = db.prepare('pragma integrity_check').all() as unknown as { integrity_check: string }[];
  return rows
    .map(({ integrity_check: finding }) => finding)
    .filter((finding) => finding !== 'ok')
    .map((finding) => `SQLite's integrity check reports: ${finding}`);
}

function referenceProblems(db: DatabaseSync): string[] {
  const rows = db.prepare('pragma foreign_key_check').all();
  return rows.map(({ table, rowid, parent }) => `Row ${rowid} of ${table} refers to a missing row of ${parent}.`);
}

function migrationProblems(db: DatabaseSync, migrations: MigrationPlan): string[] {
  try {
    assertFits(db, migrations);
    return schemaProblems(db, migrations);
  } catch (error) {
    if (error instanceof AppError) return [error.message];
    throw error;
  }
}

/** SQLite's own check covers the structure of the full-text index, but not which messages belong in it. */
function searchProblems(db: DatabaseSync): string[] {
  if (!hasMessages(db)) return [];
  const row = db
    .prepare(
      `select
         (select count(*) from messages where id not in (select id from message_words_docsize)) as missing,
         (select count(*) from message_words_docsize where id not in (select id from messages)) as extra,
         (select count(*) from messages where id not in (select id from message_pairs_docsize)
            and id not in (select id from message_pairs_pending)) as unpaired`,
    )
    .get() as { missing: number; extra: number; unpaired: number };
  return [
    ...(row.unpaired > 0 ? [`${row.unpaired} messages are missing from the index of pairs of words.`] : []),
    ...(row.missing > 0 ? [`${row.missing} messages are missing from the full-text index.`] : []),
    ...(row.extra > 0 ? [`The full-text index has ${row.extra} entries of deleted messages.`] : []),
  ];
}

/** A store of an older version, or one with a foreign history, may lack this table. */
function hasMessages(db: DatabaseSync): boolean {
  return db.prepare(`select 1 from sqlite_schema where name = 'message_pairs_docsize'`).get() !== undefined;
}
