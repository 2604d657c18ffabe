/** The version in `pragma user_version`. */
export const VERSION = 3;
const OLDEST = 2;

/** The tables of version 2. Mailboxes are stored relative to the mail folder, so that a repository can be moved. */
const TABLES = [
  `letters(
    id text primary key, mailbox text not null, sender text not null, sender_window text, recipient text not null,
    recipient_window text, stored_at integer not null, announced_at integer, announced_by text, fetched_at integer,
    answered_at integer, answer_id text, in_reply_to text, bounced_at integer, preview text not null
  ) strict`,
  `leases(
    id text primary key, holder integer not null, until integer not null, token text not null
  ) strict`,
  `hints(
    mailbox text primary key, line_start integer not null, next integer not null, last_id text not null,
    counted_start integer not null, counted_next integer not null, counted_id text not null, unread integer not null
  ) strict`,
  'names(window text not null, name text not null, seen_at integer not null, primary key(window, name)) strict',
  `ways(
    agent text primary key, kind text not null, pid integer, thread text, foreground integer, since integer not null
  ) strict`,
  `exchanges(
    pair text primary key, count integer not null, last_from text not null, last_at integer not null, stopped_at integer
  ) strict`,
  'remote_agents(name text primary key, seen_at integer not null) strict',
];

const INDEXES = [
  'letters_by_sender on letters(sender, stored_at)',
  'letters_by_sender_window on letters(sender_window, stored_at)',
  `letters_unanswered on letters(recipient, sender, stored_at)
    where fetched_at is not null and answered_at is null`,
  'letters_open on letters(stored_at) where fetched_at is null and bounced_at is null',
  'names_by_time on names(seen_at)',
];

/** Tables that later versions added, without an index of their own. */
const ADDED: readonly { version: number; table: string }[] = [
  { version: 3, table: 'unwoken(agent text primary key, reason text not null, since integer not null) strict' },
];

export const TABLE_NAMES: ReadonlySet<string> = new Set(tablesOf(VERSION).map(nameOf));

/** What turns the schema of a version into ours; from 0, all of it. */
export function statementsFrom(version: number): string {
  const isNew = version < OLDEST;
  const known = isNew ? [] : tablesOf(version);
  const tables = tablesOf(VERSION).filter((table) => !known.includes(table));
  return [
    ...tables.map((table) => `create table ${table};`),
    ...(isNew ? INDEXES.map((index) => `create index ${index};`) : []),
    `pragma user_version = ${VERSION};`,
  ].join('\n');
}

/** A row of `sqlite_schema`. */
export interface SchemaRow {
  type: string;
  name: string;
  tbl_name: string;
  rootpage: number;
  sql: string | null;
}

/** Whether a schema is ours to the letter, of this or an earlier version: nothing is missing, and nothing was added. */
export function isOurSchema(rows: readonly SchemaRow[], version: number): boolean {
  if (version < OLDEST || version > VERSION) return false;
  const expected = expectedIn(version);
  const found = new Set(rows.map(({ name, sql }) => sql ?? name));
  const pages = new Set(rows.map(({ rootpage }) => rootpage));
  const isKnown = ({ type, name, tbl_name, sql }: SchemaRow) => {
    const [, kind = 'index', named = name] = /^CREATE (TABLE|INDEX) (\w+)/.exec(sql ?? '') ?? [];
    return expected.has(sql ?? name) && type === kind.toLowerCase() && name === named && TABLE_NAMES.has(tbl_name);
  };
  return (
    rows.length === expected.size && found.size === rows.length && pages.size === rows.length && rows.every(isKnown)
  );
}

function expectedIn(version: number): ReadonlySet<string> {
  const tables = tablesOf(version);
  return new Set([
    ...tables.map((table) => `CREATE TABLE ${table}`),
    ...INDEXES.map((index) => `CREATE INDEX ${index}`),
    // The indexes of primary keys have no text.
    ...tables.map((table) => `sqlite_autoindex_${nameOf(table)}_1`),
  ]);
}

function tablesOf(version: number): string[] {
  return [...TABLES, ...ADDED.filter((added) => added.version <= version).map(({ table }) => table)];
}

function nameOf(table: string): string {
  return table.slice(0, table.indexOf('('));
}
