import { backup, DatabaseSync } from 'node:sqlite';
import { AppError } from '../../domain/errors.ts';
import type { CheckReport } from '../../system/ports.ts';
import { assertFits } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';

export type Progress = (done: number, total: number) => void;

/** What takes long or has no bound, by name: run in a worker on a connection of its own. */
export const JOBS = {
  /** Copies the store into an empty file. */
  async backup(db: DatabaseSync, { to }: { to: string }, progress: Progress): Promise<void> {
    // One snapshot for the whole copy: without it every write of another connection would begin the copy anew.
    db.exec('begin');
    db.prepare('select count(*) from sqlite_schema').get();
    await backup(db, to, {
      rate: 1_000,
      progress: ({ totalPages, remainingPages }) => progress(totalPages - remainingPages, totalPages),
    });
    db.exec('commit');
    settle(to);
  },

  async check(db: DatabaseSync): Promise<CheckReport> {
    const problems = [...integrityProblems(db), ...referenceProblems(db), ...migrationProblems(db)];
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

/** A backup is one file that can be read anywhere: no WAL beside it. And it is looked at before it counts. */
function settle(path: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec('pragma journal_mode = delete');
    const verdict = copy.prepare('pragma quick_check(1)').get();
    if (verdict?.quick_check !== 'ok') {
      throw new AppError('CONFLICT', 'The store is damaged, so its copy is not a backup.', {
        hint: 'Run "switchboard db check", and put an earlier backup in place.',
      });
    }
  } finally {
    copy.close();
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
  return rows.map(({ table, rowid, parent }) => `Row ${rowid} of ${table} refers to a row of ${parent} that is gone.`);
}

function migrationProblems(db: DatabaseSync): string[] {
  try {
    assertFits(db, MIGRATIONS);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [error.message];
    throw error;
  }
}
