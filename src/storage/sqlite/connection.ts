import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../../lib/make-folder.ts';

export const MEMORY = ':memory:';

/** The WAL is cut back to this after a burst of writes. */
const MAX_WAL_BYTES = 16 * 1024 * 1024;
/** Indexes of many messages are read all over; SQLite's own 2 MB would hardly hold one batch. */
const CACHE_KIB = 16 * 1024;
/** SQLite writes the WAL back within some commit once it has so many pages: only where `checkpoint.ts` could not. */
const MAX_WAL_PAGES = 64 * 1024;

/** One open connection with its prepared statements. */
export interface SqliteConnection {
  readonly raw: DatabaseSync;
  statement(sql: string): StatementSync;
  /** Whether commits from now on wait until they are on disk: what does not, a killed process keeps and a power cut may not. */
  setDurable(durable: boolean): void;
  /** Whether the path still leads to the file that is open: writing to a removed file would lose everything unseen. */
  isFileUnchanged(): boolean;
  close(): void;
}

export type SqlValue = SQLInputValue;

export function connect(location: string, options: { busyTimeoutMs: number; create: boolean }): SqliteConnection {
  if (location !== MEMORY) prepareFile(location, options.create);
  const raw = new DatabaseSync(location, { timeout: options.busyTimeoutMs });
  try {
    // No mmap: it makes the first search on a cold file ten times slower.
    raw.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma wal_autocheckpoint = ${MAX_WAL_PAGES};
      pragma foreign_keys = on;
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

/** The address of a store that is there: one that has vanished must not come back empty. */
export function existingFileUrl(location: string): URL {
  const url = pathToFileURL(location);
  url.searchParams.set('mode', 'rw');
  return url;
}

/** Owner only, before SQLite sees it; SQLite gives the files beside it the same rights. */
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
    // A file of another owner or on a read-only disk: reading it still works, and doctor looks at the rights.
  }
}

/** Which file a path leads to. */
export function fileIdentity(location: string): string {
  if (location === MEMORY) return MEMORY;
  const stat = statSync(location, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : 'gone';
}
