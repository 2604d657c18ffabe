import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../domain/errors.ts';
import { checksum } from '../../lib/checksum.ts';
import type { Migration, MigrationPlan } from '../definition.ts';

const MAX_SHOWN_NAME = 64;

interface AppliedMigration {
  number: number;
  name: string;
  checksum: string;
}

/** A sequence of migrations: that of a capability, or the shared one, which has no name. */
interface Sequence {
  capability: string | undefined;
  migrations: readonly Migration[];
}

type Step = Migration & Pick<Sequence, 'capability'>;

/** Brings the schema up to date, or throws an AppError that states why this program and this store do not match. */
export function migrate(db: DatabaseSync, plan: MigrationPlan, now: number): void {
  for (const sequence of sequencesOf(plan)) assertInSequence(sequence);
  if (pending(db, plan).length === 0) return;
  db.exec('begin immediate');
  try {
    // Read again under the lock: another process may have been faster.
    for (const step of pending(db, plan)) apply(db, step, now);
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** How many migrations were applied, of all sequences together: it grows with every change of the schema. */
export function schemaNumber(db: DatabaseSync): number {
  const { shared, capabilities } = applied(db);
  return shared.length + [...capabilities.values()].reduce((sum, { length }) => sum + length, 0);
}

/** The value of `schemaNumber` once all migrations of a plan were applied. */
export function newestSchema(plan: MigrationPlan): number {
  return sequencesOf(plan).reduce((sum, { migrations }) => sum + migrations.length, 0);
}

/** Throws if the store's history is not a prefix of ours. */
export function assertFits(db: DatabaseSync, plan: MigrationPlan): void {
  pending(db, plan);
}

/** An empty database with the migrations that this store records, and nothing else. The caller closes it. */
export function emptyLike(db: DatabaseSync, plan: MigrationPlan): DatabaseSync {
  const history = applied(db);
  const empty = new DatabaseSync(':memory:');
  for (const { capability, migrations } of sequencesOf(plan)) {
    const steps = capability === undefined ? history.shared : (history.capabilities.get(capability) ?? []);
    for (const migration of migrations.slice(0, steps.length)) apply(empty, { ...migration, capability }, 0);
  }
  return empty;
}

function sequencesOf({ shared, capabilities }: MigrationPlan): readonly Sequence[] {
  const own = Object.entries(capabilities).map(([capability, migrations]) => ({ capability, migrations }));
  return [{ capability: undefined, migrations: shared }, ...own];
}

function pending(db: DatabaseSync, plan: MigrationPlan): readonly Step[] {
  const history = applied(db);
  for (const [capability, steps] of history.capabilities) {
    if (!Object.hasOwn(plan.capabilities, capability)) throw newerStore(capability, steps.at(-1)?.number ?? 0, 0);
  }
  return sequencesOf(plan).flatMap((sequence) => {
    const { capability } = sequence;
    const steps = capability === undefined ? history.shared : (history.capabilities.get(capability) ?? []);
    return pendingIn(sequence, steps).map((migration) => ({ ...migration, capability }));
  });
}

function pendingIn({ capability, migrations }: Sequence, history: readonly AppliedMigration[]): readonly Migration[] {
  const newest = history.at(-1)?.number ?? 0;
  if (newest > migrations.length) throw newerStore(capability, newest, migrations.length);
  for (const [index, migration] of migrations.slice(0, newest).entries()) {
    const entry = history[index];
    if (entry?.number !== migration.number) throw missingStep(capability, migration.number);
    if (entry.checksum !== checksumOf(migration)) throw changedStep(capability, entry);
  }
  return migrations.slice(newest);
}

function applied(db: DatabaseSync): {
  shared: readonly AppliedMigration[];
  capabilities: ReadonlyMap<string, readonly AppliedMigration[]>;
} {
  const tables = tablesOf(db);
  if (!tables.has('switchboard_migrations')) {
    if (tables.size > 0) throw foreignStore();
    return { shared: [], capabilities: new Map() };
  }
  const shared = db.prepare('select number, name, checksum from switchboard_migrations order by number').all();
  const own = tables.has('capability_migrations')
    ? db.prepare('select capability, number, name, checksum from capability_migrations order by number').all()
    : [];
  return {
    shared: shared as unknown as AppliedMigration[],
    capabilities: Map.groupBy(own as unknown as (AppliedMigration & { capability: string })[], (row) => row.capability),
  };
}

/** No migration makes a trigger or a view: one that is there runs another program's statements among ours. */
function tablesOf(db: DatabaseSync): ReadonlySet<string> {
  const rows = db.prepare(`select type, name from sqlite_schema where type <> 'index'`).all() as unknown as {
    type: string;
    name: string;
  }[];
  const foreign = rows.find(({ type }) => type !== 'table');
  if (foreign) throw foreignObject(foreign);
  return new Set(rows.map(({ name }) => name));
}

function apply(db: DatabaseSync, step: Step, now: number): void {
  const { capability, number, name, sql } = step;
  if (capability === undefined && number === 1) {
    db.exec(`create table switchboard_migrations (
      number integer primary key, name text not null, checksum text not null, applied_at integer not null
    ) strict`);
  }
  db.exec(sql);
  const entry = [number, name, checksumOf(step), now];
  if (capability === undefined) {
    db.prepare('insert into switchboard_migrations (number, name, checksum, applied_at) values (?, ?, ?, ?)').run(
      ...entry,
    );
  } else {
    db.prepare(
      'insert into capability_migrations (capability, number, name, checksum, applied_at) values (?, ?, ?, ?, ?)',
    ).run(capability, ...entry);
  }
}

function checksumOf({ sql }: Migration): string {
  return checksum(sql.trim());
}

function assertInSequence({ capability, migrations }: Sequence): void {
  for (const [index, { number, name }] of migrations.entries()) {
    if (number !== index + 1) {
      throw new Error(`Migration ${number} (${name})${of(capability)} stands where ${index + 1} belongs.`);
    }
  }
}

function of(capability: string | undefined): string {
  return capability === undefined ? '' : ` of ${capability}`;
}

function newerStore(capability: string | undefined, theirs: number, ours: number): AppError {
  return new AppError(
    'CONFLICT',
    `The store was written by a newer version of Switchboard (schema ${theirs}${of(capability)}; this version knows ${ours}).`,
    { hint: 'Install the newer version again, or put back a backup that was made before the update.' },
  );
}

function missingStep(capability: string | undefined, number: number): AppError {
  return new AppError('CONFLICT', `The store's history of migrations lacks number ${number}${of(capability)}.`, {
    hint: 'Put back a backup; the history was changed by something other than Switchboard.',
  });
}

function changedStep(capability: string | undefined, { number, name }: AppliedMigration): AppError {
  return new AppError(
    'CONFLICT',
    `Migration ${number} (${name})${of(capability)} is not the one this store was made with.`,
    { hint: 'The store belongs to another build of Switchboard. Use that one, or another SWITCHBOARD_HOME.' },
  );
}

function foreignObject({ type, name }: { type: string; name: string }): AppError {
  return new AppError(
    'CONFLICT',
    `The store has a ${type === 'view' ? 'view' : 'trigger'} that Switchboard did not make: ${nameInText(name)}.`,
    {
      hint: 'Put back a backup that was made by Switchboard.',
    },
  );
}

/** A name from a file of unknown origin, for a message: short and on one line. */
export function nameInText(name: string): string {
  return JSON.stringify(name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name);
}

function foreignStore(): AppError {
  return new AppError('CONFLICT', 'The file is a database of another program.', {
    hint: 'Move that file away, or set SWITCHBOARD_HOME to another folder.',
  });
}
