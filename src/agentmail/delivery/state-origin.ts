import { statOf } from '../repository/repository-file.ts';
import { TABLE_NAMES } from './state-schema.ts';

/** A name or path is shorter, and so is a preview. */
const MAX_VALUE = 16 * 1024;
/** SQLite's result code. */
const CONSTRAINT = 19;

/** Runs a statement on the database and returns its rows. */
type Query = (sql: string) => Record<string, unknown>[];

/**
 * A number in the header of the database that says which file it was created in. A clone or an archive cannot know the
 * inode and the time of creation that its copy will have.
 */
export function originOf(path: string): number {
  const { ino = 0, birthtimeMs = 0 } = statOf(path) ?? {};
  let mixed = 0x811c9dc5;
  // FNV-1a: loading a cryptographic hash would take longer than opening the database.
  for (const byte of Buffer.from(`${ino} ${birthtimeMs}`)) mixed = Math.imul(mixed ^ byte, 0x01000193);
  // Positive, and not 0, which is what any database has.
  return (mixed >>> 1) | 1;
}

/** The number that is stored; 0 in a database of an earlier version. */
export function storedOrigin(query: Query): number {
  return Number(query('pragma application_id')[0]?.application_id);
}

/**
 * Whether a database that was not created here can be used: each page is used once and no value is long, so that
 * reading takes no longer than its size allows. Every index is made again from its table. The time for this is limited
 * by the size of the file.
 */
export function isSound(query: Query): boolean {
  if (query('pragma quick_check(1)')[0]?.quick_check !== 'ok') return false;
  const tables = query("select name from sqlite_schema where type = 'table'").map(({ name }) => String(name));
  for (const table of tables.filter((name) => TABLE_NAMES.has(name))) {
    const columns = query(`pragma table_info(${table})`).map(({ name }) => `length(${name}) > ${MAX_VALUE}`);
    if (query(`select 1 from ${table} where ${columns.join(' or ')} limit 1`).length > 0) return false;
  }
  return hasIndexes(query);
}

/** Makes the indexes again. False if a key is there twice. */
function hasIndexes(query: Query): boolean {
  try {
    query('reindex');
    return true;
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === CONSTRAINT) return false;
    throw error;
  }
}
