import type { DatabaseSync } from 'node:sqlite';
import { statOf } from '../repository/repository-file.ts';
import { TABLE_NAMES } from './state-schema.ts';

/** A name or path is shorter, and so is a preview. */
const MAX_VALUE = 16 * 1024;

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
export function storedOrigin(database: DatabaseSync): number {
  return Number(database.prepare('pragma application_id').get()?.application_id);
}

/**
 * Whether a database that was not created here can be used: each page is used once and no value is long, so that
 * reading takes no longer than its size allows. Every index is made again from its table. The time for this is limited
 * by the size of the file.
 */
export function isSound(database: DatabaseSync): boolean {
  const [found] = database.prepare('pragma quick_check(1)').all();
  if (found?.quick_check !== 'ok') return false;
  for (const { name } of existingTables(database)) {
    const columns = database.prepare(`pragma table_info(${name})`).all() as unknown as { name: string }[];
    const isLong = columns.map((column) => `length(${column.name}) > ${MAX_VALUE}`).join(' or ');
    if (database.prepare(`select 1 from ${name} where ${isLong} limit 1`).get() !== undefined) return false;
  }
  database.exec('reindex');
  return true;
}

function existingTables(database: DatabaseSync): { name: string }[] {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  return (tables as unknown as { name: string }[]).filter(({ name }) => TABLE_NAMES.has(name));
}
