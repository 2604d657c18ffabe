import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../domain/errors.ts';
import { checksum } from '../../lib/checksum.ts';

export interface Migration {
  number: number;
  name: string;
  sql: string;
}

interface AppliedMigration {
  number: number;
  name: string;
  checksum: string;
}

/** Brings the schema up to date, or throws an AppError that says why this program and this store do not fit. */
export function migrate(db: DatabaseSync, migrations: readonly Migration[], now: number): void {
  assertInSequence(migrations);
  if (pending(db, migrations).length === 0) return;
  db.exec('begin immediate');
  try {
    // Asked again under the lock: another process may have been faster.
    for (const migration of pending(db, migrations)) apply(db, migration, now);
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** The newest migration applied. */
export function schemaNumber(db: DatabaseSync): number {
  return applied(db).at(-1)?.number ?? 0;
}

/** Throws where the store's history is not the beginning of ours. */
export function assertFits(db: DatabaseSync, migrations: readonly Migration[]): void {
  pending(db, migrations);
}

function pending(db: DatabaseSync, migrations: readonly Migration[]): readonly Migration[] {
  const history = applied(db);
  const newest = history.at(-1)?.number ?? 0;
  if (newest > migrations.length) throw newerStore(newest, migrations.length);
  for (const [index, migration] of migrations.slice(0, newest).entries()) {
    const entry = history[index];
    if (entry?.number !== migration.number) throw missingStep(migration.number);
    if (entry.checksum !== checksumOf(migration)) throw changedStep(entry);
  }
  return migrations.slice(newest);
}

function applied(db: DatabaseSync): AppliedMigration[] {
  const tables = db.prepare(`select name from sqlite_schema where type = 'table'`).all();
  if (tables.some(({ name }) => name === 'switchboard_migrations')) {
    const rows = db.prepare('select number, name, checksum from switchboard_migrations order by number').all();
    return rows as unknown as AppliedMigration[];
  }
  if (tables.length > 0) throw foreignStore();
  return [];
}

function apply(db: DatabaseSync, migration: Migration, now: number): void {
  if (migration.number === 1) {
    db.exec(`create table switchboard_migrations (
      number integer primary key, name text not null, checksum text not null, applied_at integer not null
    ) strict`);
  }
  db.exec(migration.sql);
  db.prepare('insert into switchboard_migrations (number, name, checksum, applied_at) values (?, ?, ?, ?)').run(
    migration.number,
    migration.name,
    checksumOf(migration),
    now,
  );
}

function checksumOf(migration: Migration): string {
  return checksum(migration.sql.trim());
}

function assertInSequence(migrations: readonly Migration[]): void {
  for (const [index, { number, name }] of migrations.entries()) {
    if (number !== index + 1) throw new Error(`Migration ${number} (${name}) stands where ${index + 1} belongs.`);
  }
}

function newerStore(theirs: number, ours: number): AppError {
  return new AppError(
    'CONFLICT',
    `The store was written by a newer version of Switchboard (schema ${theirs}; this version knows ${ours}).`,
    { hint: 'Install the newer version again, or put back a backup that was made before the update.' },
  );
}

function missingStep(number: number): AppError {
  return new AppError('CONFLICT', `The store's history of migrations lacks number ${number}.`, {
    hint: 'Put back a backup; the history was changed by something other than Switchboard.',
  });
}

function changedStep({ number, name }: AppliedMigration): AppError {
  return new AppError('CONFLICT', `Migration ${number} (${name}) is not the one this store was made with.`, {
    hint: 'The store belongs to another build of Switchboard. Use that one, or another SWITCHBOARD_HOME.',
  });
}

function foreignStore(): AppError {
  return new AppError('CONFLICT', 'The file is a database of another program.', {
    hint: 'Move that file away, or set SWITCHBOARD_HOME to another folder.',
  });
}
