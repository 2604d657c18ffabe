import { closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite';
import { monotonicMs } from '../../lib/monotonic.ts';
import { openRepositoryFile, prepareFolder } from '../repository/repository-file.ts';
import { createOpenFiles, type OpenFile } from './open-files.ts';
import { isSound, originOf, storedOrigin } from './state-origin.ts';
import { isOurSchema, type SchemaRow, statementsFrom, TABLE_NAMES, VERSION } from './state-schema.ts';
import { moveAside, reasonNotToOpen } from './state-trust.ts';

type SqlValue = string | number | null;

/**
 * Statements on the database. Each ends soon even if the pages of the file were crafted: it looks up a key, or reads in
 * the order of an index with a limit, and neither sorts nor skips rows. `state-statements.test.ts` checks that.
 */
export interface StateFile {
  get<Row extends object>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row extends object>(sql: string, ...values: SqlValue[]): Row[];
  /** Returns how many rows changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** In one transaction. */
  together<T>(body: () => T): T;
  close(): void;
}

/** How long a statement waits for another process that writes. It blocks this thread. */
const BUSY_TIMEOUT_MS = 20;
const RETRY_MS = 5;
const LOOKS = 4;
const BUSY = 5;
const CORRUPT = 11;
/** SQLite's code for a statement that the authorizer refuses. Ours for a schema that is not ours. */
const FOREIGN = 23;
const DAMAGED = new Set([CORRUPT, 26, FOREIGN]);

const openFiles = createOpenFiles();

/**
 * Opens `side.db`. A clone may have brought it: one that git wrote, that is no regular file of this user or whose
 * schema is not ours is renamed, unread, and created again. One that was not created in this place is checked first.
 * It contains state about mail, never mail.
 */
export function openStateFile(mailFolder: string, warn: (message: string) => void): StateFile {
  const path = stateFilePath(mailFolder);
  prepareFolder(dirname(path), dirname(mailFolder));
  return retryWhileBusy(() => {
    const reason = openFiles.takeDamage(path) ? 'damaged' : lastingReason(path, mailFolder);
    if (reason === 'busy') throw Object.assign(new Error(`${path} is being created`), { errcode: BUSY });
    if (reason !== undefined) quarantine(reason);
    try {
      return open(path, mailFolder);
    } catch (error) {
      if (!isDamage(error)) throw error;
      quarantine((error as { errcode?: number }).errcode === FOREIGN ? 'a database with a foreign schema' : 'damaged');
      return open(path, mailFolder);
    }
  });

  function quarantine(what: string): void {
    const aside = moveAside(path, mailFolder, ['damaged', 'no database'].includes(what) ? 'damaged' : 'untrusted');
    warn(`${path} was ${what}, so it was renamed to ${aside} and created again; no mail is lost`);
  }
}

/** The files are read without locks: what another process is just writing can look foreign. */
function lastingReason(path: string, mailFolder: string): string | undefined {
  let reason: string | undefined;
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) pause();
    reason = reasonNotToOpen(path, mailFolder, openFiles.has(path));
    if (reason === undefined || reason === 'busy') return reason;
  }
  return reason;
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
}

export function stateFilePath(mailFolder: string): string {
  return join(mailFolder, 'switchboard', 'side.db');
}

/** Where several processes create the file at the same time, SQLite fails with BUSY immediately in all but one. */
function retryWhileBusy(open: () => StateFile): StateFile {
  for (const giveUpAt = monotonicMs() + BUSY_TIMEOUT_MS; ; ) {
    try {
      return open();
    } catch (error) {
      if (!isBusy(error) || monotonicMs() > giveUpAt) throw error;
      pause();
    }
  }
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

export function isDamage(error: unknown): boolean {
  return DAMAGED.has(codeOf(error));
}

/** Without the extended part of SQLite's result code. */
function codeOf(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}

function open(path: string, mailFolder: string): StateFile {
  // Closing any descriptor of a file would release the locks that SQLite has on it in this process.
  if (!openFiles.has(path)) createFile(path, mailFolder);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.enableDefensive(true);
    // The log is small, because the first process that opens the file has to read all of what earlier ones left.
    const origin = originOf(path);
    database.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma synchronous = normal');
    // Before the log begins: every new file differs from the one that git tracks, which would be set aside again.
    if (isEmpty(database)) database.exec(`pragma application_id = ${origin}`);
    database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 100');
    prepareSchema(database, origin);
    database.setAuthorizer(authorize);
  } catch (error) {
    database.close();
    throw error;
  }
  return statementsOf(database, openFiles.add(path));
}

function isEmpty(database: DatabaseSync): boolean {
  return Number(database.prepare('pragma page_count').get()?.page_count) === 0;
}

function createFile(path: string, mailFolder: string): void {
  const options = {
    within: dirname(mailFolder),
    maxBytes: Number.MAX_SAFE_INTEGER,
    access: 'write',
    create: true,
  } as const;
  const file = openRepositoryFile(path, options);
  if (file !== undefined) closeSync(file);
}

/**
 * Another process may change the schema of an open database. Only our tables are read and written: no view, no
 * trigger, no function.
 */
function authorize(
  action: number,
  table: string | null,
  _: unknown,
  __: unknown,
  viewOrTrigger: string | null,
): number {
  const { SQLITE_SELECT, SQLITE_TRANSACTION, SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE } = constants;
  if (viewOrTrigger !== null) return constants.SQLITE_DENY;
  if (action === SQLITE_SELECT || action === SQLITE_TRANSACTION) return constants.SQLITE_OK;
  const isOfTable = [SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].includes(action);
  return isOfTable && TABLE_NAMES.has(table ?? '') ? constants.SQLITE_OK : constants.SQLITE_DENY;
}

function statementsOf(database: DatabaseSync, opened: OpenFile): StateFile {
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string) => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  /** Damage inside the file shows only when its pages are read. */
  const noting = <T>(use: () => T): T => {
    try {
      return use();
    } catch (error) {
      if (isDamage(error)) opened.markDamaged();
      throw error;
    }
  };
  return {
    get: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      noting(() => statement(sql).get(...values) as Row | undefined),
    all: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      noting(() => statement(sql).all(...values) as Row[]),
    run: (sql, ...values) => noting(() => Number(statement(sql).run(...values).changes)),
    together: (body) => noting(() => inTransaction(database, body)),
    close() {
      database.close();
      opened.remove();
    },
  };
}

function prepareSchema(database: DatabaseSync, origin: number): void {
  const query = (sql: string) => database.prepare(sql).all();
  if (ourVersion(database) === VERSION && storedOrigin(query) === origin) return;
  inTransaction(database, () => {
    const version = ourVersion(database);
    if (version === undefined) throw Object.assign(new Error('the schema is not ours'), { errcode: FOREIGN });
    if (storedOrigin(query) !== origin) {
      if (!isSound(query)) throw Object.assign(new Error('the pages are not sound'), { errcode: CORRUPT });
      database.exec(`pragma application_id = ${origin}`);
    }
    if (version < VERSION) database.exec(statementsFrom(version));
  });
}

/** 0 for a new file; undefined if the schema is not ours, or outside a transaction, if another process creates it meanwhile. */
function ourVersion(database: DatabaseSync): number | undefined {
  const version = versionOf(database);
  const rows = schemaOf(database);
  return (version === 0 && rows.length === 0) || isOurSchema(rows, version) ? version : undefined;
}

function schemaOf(database: DatabaseSync): SchemaRow[] {
  const sql = 'select type, name, tbl_name, rootpage, sql from sqlite_schema';
  return database.prepare(sql).all() as unknown as SchemaRow[];
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}

function inTransaction<T>(database: DatabaseSync, body: () => T): T {
  database.exec('begin immediate');
  try {
    const result = body();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}
