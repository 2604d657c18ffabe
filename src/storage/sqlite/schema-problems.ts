import type { DatabaseSync } from 'node:sqlite';
import type { MigrationPlan } from '../definition.ts';
import { emptyLike, nameInText } from './migrate.ts';

interface SchemaObject {
  type: string;
  name: string;
  table: string;
  sql: string | null;
}

/** Tables that SQLite makes by itself, with its own statement. */
const TABLES_OF_SQLITE: ReadonlySet<string | null> = new Set([
  'CREATE TABLE sqlite_sequence(name,seq)',
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]);

/**
 * Compares the schema with what the store's migrations make, object by object: a trigger, view, generated column or index
 * expression in a file from elsewhere would run another program's statements. Reads nothing but the schema and the
 * record of migrations. A table that is no longer needed may be missing.
 */
export function schemaProblems(db: DatabaseSync, plan: MigrationPlan): string[] {
  const expected = expectedObjects(db, plan);
  return objectsOf(db).flatMap((object) => {
    const { type, name, sql } = object;
    const ours = expected.get(keyOf(object));
    if (ours) return ours.sql === sql ? [] : `The ${type} ${name} is not as Switchboard makes it.`;
    return TABLES_OF_SQLITE.has(sql) ? [] : `The ${type} ${nameInText(name)} was not made by Switchboard.`;
  });
}

function expectedObjects(db: DatabaseSync, plan: MigrationPlan): ReadonlyMap<string, SchemaObject> {
  const empty = emptyLike(db, plan);
  try {
    return new Map(objectsOf(empty).map((object) => [keyOf(object), object]));
  } finally {
    empty.close();
  }
}

function objectsOf(db: DatabaseSync): SchemaObject[] {
  const rows = db.prepare('select type, name, tbl_name as "table", sql from sqlite_schema order by name').all();
  return rows as unknown as SchemaObject[];
}

function keyOf({ type, name, table }: SchemaObject): string {
  return JSON.stringify([type, name, table]);
}
