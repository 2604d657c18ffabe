import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../../lib/make-folder.ts';

export const MEMORY = ':memory:';

/** The WAL file is truncated to this size after a burst of writes. */
const MAX_WAL_BYTES = 16 * 1024 * 1024;
/** Indexes of many messages are accessed randomly; SQLite's default of 2 MB hardly holds one batch. */
const CACHE_KIB = 16 * 1024;
/** Fallback only: SQLite checkpoints within a commit at this size, if `checkpoint.ts` could not do it before. */
const MAX_WAL_PAGES = 64 * 1024;

/** An open connection with its prepared statements. */
export interface SqliteConnection {
  readonly raw: DatabaseSync;
  statement(sql: string): StatementSync;
  /**
   * Whether later commits wait for the disk. A commit that does not survives a killed process, but maybe not a power
   * loss.
   */
  setDurable(durable: boolean): void;
  /** Whether the path still leads to the open file. Writes to a removed file would be lost without an error. */
  isFileUnchanged(): boolean;
  close(): void;
}

export type SqlValue = SQLInputValue;

export function connect(location: string, options: { busyTimeoutMs: number; create: boolean }): SqliteConnection {
  if (location !== MEMORY) prepareFile(location, options.create);
  const raw = new DatabaseSync(location, { timeout: options.busyTimeoutMs });
  try {
    // mmap makes the first search on a cold file ten times slower.
    raw.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma wal_autocheckpoint = ${MAX_WAL_PAGES};
      pragma foreign_keys = on;
      pragma trusted_schema = off;
      pragma mmap_size = 0;
      pragma cache_size = -${CACHE_KIB};
      pragma journal_size_limit = ${MAX_WAL_BYTES};
    `);
  } catch (error) {
    raw.close();
    throw error;
  }
  const statements = new Map<string, StatementSync>();
  const identity = fileIdentity(location);
  let isDurable = true;

  function statementOf(sql: string): StatementSync {
    let statement = statements.get(sql);
    if (!statement) {
      statement = raw.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  return {
    raw,
    statement: statementOf,
    setDurable(durable) {
      if (durable === isDurable) return;
      raw.exec(`pragma synchronous = ${durable ? 'full' : 'normal'}`);
      isDurable = durable;
    },
    isFileUnchanged: () => fileIdentity(location) === identity,
    close: () => raw.close(),
  };
}

/** A URL that opens the file only if it exists, so that a removed store is not replaced by an empty one. */
export function existingFileUrl(location: string): URL {
  const url = pathToFileURL(location);
  url.searchParams.set('mode', 'rw');
  return url;
}

/** Sets mode 0600 before SQLite opens the file; SQLite gives the WAL the same mode. */
function prepareFile(location: string, create: boolean): void {
  if (create && !existsSync(location)) {
    makeFolder(dirname(location));
    closeSync(openSync(location, 'a', 0o600));
  }
  const others = statSync(location).mode & 0o077;
  if (others !== 0) tryToProtect(location);
}

function tryToProtect(location: string): void {
  try {
    chmodSync(location, 0o600);
  } catch {
    // The file has another owner or the disk is read-only. Reading still works, and `doctor` checks the mode.
  }
}

/** Device and inode of the file at a path. */
export function fileIdentity(location: string): string {
  if (location === MEMORY) return MEMORY;
  const stat = statSync(location, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : 'gone';
}
