import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import { type Migration, migrate, schemaNumber } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';

const first: Migration = { number: 1, name: 'one', sql: 'create table one (x text) strict;' };
const second: Migration = { number: 2, name: 'two', sql: 'create table two (x text) strict;' };
const third: Migration = { number: 3, name: 'three', sql: 'create table three (x text) strict;' };

describe('migrations', () => {
  test('are applied in order, and each only once', () => {
    const db = migrated([first]);

    migrate(db, [first, second], 5);
    migrate(db, [first, second], 6);

    assert.equal(schemaNumber(db), 2);
    assert.deepEqual(tablesOf(db), ['one', 'switchboard_migrations', 'two']);
  });

  test('of a store with sessions keep them: each was last active when it was made', () => {
    const db = migrated(MIGRATIONS.slice(0, 2));
    db.exec(`insert into sessions (id, state, body) values ('a', 'ready', '{"createdAt":17}')`);

    migrate(db, MIGRATIONS, 5);

    assert.deepEqual(db.prepare('select active_at from sessions').get()?.active_at, 17);
  });

  test('that fail leave the schema as it was', () => {
    const db = migrated([first]);
    const broken: Migration = { ...third, sql: 'create table three (x text) strict; select nonsense from nowhere;' };

    assert.throws(() => migrate(db, [first, second, broken], 5), /nowhere/);

    assert.equal(schemaNumber(db), 1);
    assert.deepEqual(tablesOf(db), ['one', 'switchboard_migrations']);
    assert.equal(db.isTransaction, false);
  });

  test('of a newer program are refused with what to do', () => {
    const db = migrated([first, second]);

    assert.throws(() => migrate(db, [first], 5), conflict(/newer version.*schema 2.*knows 1/));
  });

  test('whose text changed are refused by name', () => {
    const db = migrated([first, second]);

    assert.throws(
      () => migrate(db, [first, { ...second, sql: second.sql.replace('text', 'blob') }], 5),
      conflict(/2 \(two\)/),
    );
  });

  test('that lack a step in the store are refused by number', () => {
    const db = migrated([first, second, third]);
    db.exec('delete from switchboard_migrations where number = 2');

    assert.throws(() => migrate(db, [first, second, third], 5), conflict(/lacks number 2/));
  });

  test('that lack a step in the program do not run', () => {
    assert.throws(() => migrated([first, third]), /3 \(three\) stands where 2 belongs/);
  });

  test("leave another program's database alone", () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table theirs (x)');

    assert.throws(() => migrate(db, [first], 5), conflict(/another program/));
    assert.deepEqual(tablesOf(db), ['theirs']);
  });

  test('of the program are all listed, under the name and number of their files', () => {
    const files = readdirSync(new URL('./migrations', import.meta.url)).filter((name) => name !== 'index.ts');

    const listed = MIGRATIONS.map(({ number, name }) => `${String(number).padStart(4, '0')}-${name}.ts`);

    assert.deepEqual(listed, files.sort());
  });
});

function migrated(migrations: readonly Migration[]): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  migrate(db, migrations, 1);
  return db;
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
