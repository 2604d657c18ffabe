import { closeSync, constants, openSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { hasCode, prepareFolder } from '../mailbox/locked-file.ts';

type SqlValue = string | number | null;

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
const BUSY = 5;
const DAMAGED = new Set([11, 26]);
const VERSION = 3;

const LEASES = `
  create table leases(
    id text primary key, holder integer not null, until integer not null, token text not null
  ) strict;
`;

const UNWOKEN = `
  create table unwoken(agent text primary key, reason text not null, since integer not null) strict;
`;

/** Mailboxes are stored relative to the mail folder, so that a repository can be moved. */
const SCHEMA = `
  create table letters(
    id text primary key, mailbox text not null, sender text not null, sender_window text, recipient text not null,
    recipient_window text, stored_at integer not null, announced_at integer, announced_by text, fetched_at integer,
    answered_at integer, answer_id text, in_reply_to text, bounced_at integer, preview text not null
  ) strict;
  create index letters_by_sender on letters(sender, stored_at);
  create index letters_by_sender_window on letters(sender_window, stored_at);
  create index letters_unanswered on letters(recipient, sender, stored_at)
    where fetched_at is not null and answered_at is null;
  create index letters_open on letters(stored_at) where fetched_at is null and bounced_at is null;
  ${LEASES}
  create table hints(
    mailbox text primary key, line_start integer not null, next integer not null, last_id text not null,
    counted_start integer not null, counted_next integer not null, counted_id text not null, unread integer not null
  ) strict;
  create table names(window text not null, name text not null, seen_at integer not null, primary key(window, name)) strict;
  create index names_by_time on names(seen_at);
  create table ways(
    agent text primary key, kind text not null, pid integer, thread text, foreground integer, since integer not null
  ) strict;
  create table exchanges(
    pair text primary key, count integer not null, last_from text not null, last_at integer not null, stopped_at integer
  ) strict;
  create table remote_agents(name text primary key, seen_at integer not null) strict;
  ${UNWOKEN}
`;

/** Opens `side.db`. A damaged file is renamed and created again: it contains state about mail, never mail. */
export function openStateFile(mailFolder: string, warn: (message: string) => void): StateFile {
  const path = stateFilePath(mailFolder);
  prepareFolder(dirname(path));
  try {
    return openWithRetry(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    warn(`${path} was damaged and is created again; no mail is lost`);
    putAside(path);
    return openWithRetry(path);
  }
}

export function stateFilePath(mailFolder: string): string {
  return join(mailFolder, 'switchboard', 'side.db');
}

/** Where several processes create the file at the same time, SQLite fails with BUSY immediately in all but one. */
function openWithRetry(path: string): StateFile {
  for (const giveUpAt = performance.now() + BUSY_TIMEOUT_MS; ; ) {
    try {
      return open(path);
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
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

function open(path: string): StateFile {
  makeIfMissing(path);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Small, because the first process that opens the file has to read the whole WAL that earlier ones left.
    database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 100');
    prepareSchema(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return statementsOf(database);
}

function statementsOf(database: DatabaseSync): StateFile {
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string) => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  return {
    get: <Row extends object>(sql: string, ...values: SqlValue[]) => statement(sql).get(...values) as Row | undefined,
    all: <Row extends object>(sql: string, ...values: SqlValue[]) => statement(sql).all(...values) as Row[],
    run: (sql, ...values) => Number(statement(sql).run(...values).changes),
    together: (body) => inTransaction(database, body),
    close: () => database.close(),
  };
}

function prepareSchema(database: DatabaseSync): void {
  if (versionOf(database) >= VERSION) return;
  inTransaction(database, () => {
    const version = versionOf(database);
    if (version >= VERSION) return;
    if (version === 0) database.exec(SCHEMA);
    // Version 1 had leases without a token; they are valid for a minute at most.
    if (version === 1) database.exec(`drop table leases; ${LEASES}`);
    if (version === 1 || version === 2) database.exec(UNWOKEN);
    database.exec(`pragma user_version = ${VERSION}`);
  });
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

function makeIfMissing(path: string): void {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  closeSync(openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
}

function putAside(path: string): void {
  const mark = `damaged-${Date.now()}-${process.pid}`;
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      renameSync(`${path}${suffix}`, `${path}.${mark}${suffix}`);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}
