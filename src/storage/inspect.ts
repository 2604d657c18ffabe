import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { AppError } from '../domain/errors.ts';
import type { MigrationPlan } from './definition.ts';
import { assertFits, newestSchema, schemaNumber } from './sqlite/migrate.ts';
import { schemaProblems } from './sqlite/schema-problems.ts';
import { toStoreError } from './sqlite/store-error.ts';

const MOST_PROBLEMS = 20;

export interface Inspection {
  location: string;
  schema: number;
  /** The schema that this program would migrate to. */
  newest: number;
  problems: readonly string[];
}

/** Inspects the file of a store without changing it. Undefined if there is none. */
export function inspectStore(location: string, migrations: MigrationPlan): Inspection | undefined {
  if (!existsSync(location)) return undefined;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(addressOf(location), { readOnly: true, timeout: 5_000 });
    db.exec('pragma trusted_schema = off');
    assertFits(db, migrations);
    const problems = schemaProblems(db, migrations);
    return {
      location,
      schema: schemaNumber(db),
      newest: newestSchema(migrations),
      // The check of the content evaluates expressions of the schema.
      problems: problems.length > 0 ? problems.slice(0, MOST_PROBLEMS) : contentProblems(db),
    };
  } catch (error) {
    const failure = toStoreError(error, location);
    if (failure instanceof AppError) throw failure;
    throw error;
  } finally {
    db?.close();
  }
}

function contentProblems(db: DatabaseSync): string[] {
  const rows = db.prepare(`pragma quick_check(${MOST_PROBLEMS})`).all();
  return rows
    .map((row) => String(row.quick_check).replace(/^\*\*\* .* \*\*\*\n/, ''))
    .filter((finding) => finding !== 'ok')
    .map((finding) => `SQLite's check reports: ${finding}`);
}

/** If no process has it open, the file is complete; `immutable` keeps SQLite from creating a WAL. */
function addressOf(location: string): URL {
  const address = pathToFileURL(location);
  if (!existsSync(`${location}-wal`)) address.searchParams.set('immutable', '1');
  return address;
}
