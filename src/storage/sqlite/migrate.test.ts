import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import type { Migration, MigrationPlan } from '../definition.ts';
import { migrate, newestSchema, schemaNumber } from './migrate.ts';
import { migrationPlan, SHARED_MIGRATIONS } from './migrations/index.ts';

const first: Migration = { number: 1, name: 'one', sql: 'create table one (x text) strict;' };
const second: Migration = { number: 2, name: 'two', sql: 'create table two (x text) strict;' };
const third: Migration = { number: 3, name: 'three', sql: 'create table three (x text) strict;' };

describe('migrations', () => {
  test('are applied in order, and each only once', () => {
    const db = migrated(shared(first));

    migrate(db, shared(first, second), 5);
    migrate(db, shared(first, second), 6);

    assert.equal(schemaNumber(db), 2);
    assert.deepEqual(tablesOf(db), ['one', 'switchboard_migrations', 'two']);
  });

  test('of a store with sessions keep them, with their creation as last activity', () => {
    const db = migrated(shared(...SHARED_MIGRATIONS.slice(0, 2)));
    db.exec(`insert into sessions (id, state, body) values ('a', 'ready', '{"createdAt":17}')`);

    migrate(db, shared(...SHARED_MIGRATIONS), 5);

    assert.deepEqual(db.prepare('select active_at from sessions').get()?.active_at, 17);
  });

  test('that fail leave the schema unchanged', () => {
    const db = migrated(shared(first));
    const broken: Migration = { ...third, sql: 'create table three (x text) strict; select nonsense from nowhere;' };

    assert.throws(() => migrate(db, shared(first, second, broken), 5), /nowhere/);

    assert.equal(schemaNumber(db), 1);
    assert.deepEqual(tablesOf(db), ['one', 'switchboard_migrations']);
    assert.equal(db.isTransaction, false);
  });

  test('of a newer program are refused with a hint', () => {
    const db = migrated(shared(first, second));

    assert.throws(() => migrate(db, shared(first), 5), conflict(/newer version.*schema 2; this version knows 1/));
  });

  test('whose text changed are refused by name', () => {
    const db = migrated(shared(first, second));
    const changed = { ...second, sql: second.sql.replace('text', 'blob') };

    assert.throws(() => migrate(db, shared(first, changed), 5), conflict(/2 \(two\)/));
  });

  test('that lack a step in the store are refused by number', () => {
    const db = migrated(shared(first, second, third));
    db.exec('delete from switchboard_migrations where number = 2');

    assert.throws(() => migrate(db, shared(first, second, third), 5), conflict(/lacks number 2/));
  });

  test('that lack a step in the program do not run', () => {
    assert.throws(() => migrated(shared(first, third)), /3 \(three\) stands where 2 belongs/);
  });

  test("leave another program's database unchanged", () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table theirs (x)');

    assert.throws(() => migrate(db, shared(first), 5), conflict(/another program/));
    assert.deepEqual(tablesOf(db), ['theirs']);
  });

  test('that all capabilities share are listed, by the name and number of their files', () => {
    const files = readdirSync(new URL('./migrations', import.meta.url)).filter((name) => name !== 'index.ts');

    assert.deepEqual(SHARED_MIGRATIONS.map(fileOf), files.sort());
  });
});

describe('migrations of a capability', () => {
  test('have their own numbers, and are applied when they are added', () => {
    const db = migrated(plan({}));

    migrate(db, plan({ alpha: [first] }), 5);
    migrate(db, plan({ alpha: [first, second], beta: [{ ...third, number: 1 }] }), 6);

    assert.deepEqual(historyOf(db), ['alpha 1 one', 'alpha 2 two', 'beta 1 three']);
    assert.equal(schemaNumber(db), SHARED_MIGRATIONS.length + 3);
    assert.equal(newestSchema(plan({ alpha: [first, second], beta: [first] })), SHARED_MIGRATIONS.length + 3);
  });

  test('of a newer program or of an unknown capability are refused', () => {
    const db = migrated(plan({ alpha: [first, second] }));

    assert.throws(
      () => migrate(db, plan({ alpha: [first] }), 5),
      conflict(/newer version.*schema 2 of alpha; this version knows 1/),
    );
    assert.throws(
      () => migrate(db, plan({ beta: [first] }), 5),
      conflict(/newer version.*schema 2 of alpha; this version knows 0/),
    );
  });

  test('whose text changed, or that lack a step, are refused by name', () => {
    const db = migrated(plan({ alpha: [first, second, third] }));
    const changed = { ...second, sql: second.sql.replace('text', 'blob') };

    assert.throws(() => migrate(db, plan({ alpha: [first, changed, third] }), 5), conflict(/2 \(two\) of alpha/));
    db.exec('delete from capability_migrations where number = 2');
    assert.throws(() => migrate(db, plan({ alpha: [first, second, third] }), 5), conflict(/lacks number 2 of alpha/));
  });

  test('that fail roll back those of all others, too', () => {
    const db = migrated(plan({}));
    const broken: Migration = { ...first, sql: 'select nonsense from nowhere;' };

    assert.throws(() => migrate(db, plan({ alpha: [first], beta: [broken] }), 5), /nowhere/);

    assert.deepEqual(historyOf(db), []);
    assert.equal(tablesOf(db).includes('one'), false);
  });
});

function shared(...migrations: Migration[]): MigrationPlan {
  return { shared: migrations, capabilities: {} };
}

function plan(capabilities: Record<string, readonly Migration[]>): MigrationPlan {
  return { ...migrationPlan({}), capabilities };
}

function migrated(migrations: MigrationPlan): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  migrate(db, migrations, 1);
  return db;
}

function fileOf({ number, name }: Migration): string {
  return `${String(number).padStart(4, '0')}-${name}.ts`;
}

function historyOf(db: DatabaseSync): string[] {
  const rows = db.prepare('select capability, number, name from capability_migrations').all();
  return rows.map(({ capability, number, name }) => `${capability} ${number} ${name}`);
}

function tablesOf(db: DatabaseSync): unknown[] {
  return db
    .prepare('select name from sqlite_schema order by name')
    .all()
    .map(({ name }) => name);
}

function conflict(message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof AppError && error.code === 'CONFLICT' && message.test(error.message) && !!error.hint;
}
