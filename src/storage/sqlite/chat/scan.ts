import type { SqlValue } from '../connection.ts';
import type { Database, Reader } from '../database.ts';
import { anyOf, fitting } from './fts-expression.ts';
import { matchesExpression, mayContain } from './id-checks.ts';
import { monthToken } from './index-row.ts';
import { idAt, timestampOf } from './message-ids.ts';
import { mergeNewestFirst } from './newest-first.ts';
import { pendingBetween } from './pending-pairs.ts';
import { withinByteLimit } from './rows.ts';
import type { CheckBudget, SearchScope } from './search-scope.ts';

/** A message that may match, with its text. */
export interface Candidate extends ScopedRow {
  text: string;
  deleted_at: number | null;
  extra: string | null;
}

/** The columns that decide whether a message is within a scope. */
interface ScopedRow {
  id: number;
  at: number;
  sender: number;
  chat: number;
}

/** Rows per read: a few milliseconds of the event loop. */
const MAX_IDS = 30_000;
const MAX_SCOPED_ROWS = 1_000;
const MAX_CANDIDATES = 300;
/** Texts that SQLite compares with a pattern. */
const MAX_CHECKED = 400;
const FEW_CANDIDATES = 1_000;
const MANY_CANDIDATES = 2_000;
const MAX_FIRST_READS = 4;
const MAX_PENDING = 2_000;
/** Most searches find enough in the first reads; others need everything, and each read has its cost. */
const GROWTH = 6;
/** The index finds so many times as many as are checked at once: evaluating it again takes longer. */
const LOOKAHEAD = 4;
const MIN_FOUND = 100;
/** Maximum bytes of text per read; the first text is always included. */
const MAX_BYTES = 512 * 1024;

const SCOPED_COLUMNS = 'm.id, m.at, m.sender, m.chat';
const CANDIDATE_COLUMNS = `${SCOPED_COLUMNS}, m.text, m.deleted_at, m.extra`;

/** Ids within a scope in batches, newest first. */
export function scanIds(db: Database, scope: SearchScope, expected: number): AsyncGenerator<number[]> {
  return withPending(db, scope, scanExactIds(db, scope, expected));
}

async function* scanExactIds(db: Database, scope: SearchScope, expected: number): AsyncGenerator<number[]> {
  const isSure = [scope.since, scope.before, scope.senders, scope.chats].every((limit) => limit === undefined);
  const maxRows = scope.checks.length === 0 ? MAX_IDS : MAX_SCOPED_ROWS;
  const rows = isSure
    ? scanSlices<{ id: number }>(db, scope, { columns: undefined, firstRows: expected, maxRows })
    : scanExact<ScopedRow>(db, scope, { columns: SCOPED_COLUMNS, firstRows: expected, maxRows: MAX_SCOPED_ROWS });
  for await (const some of rows) yield some.map(({ id }) => id);
}

/** A scan of which the first ids were read. */
export interface StartedScan {
  /** All of them. */
  ids: AsyncIterable<number[]> | Iterable<number[]>;
  /** Whether there are fewer than were read at first. */
  areFew: boolean;
}

/**
 * Reads so many ids, to know whether there are as many: evaluating an expression once more may take long. Checks may leave few of
 * what was read, so that only the first reads count.
 */
export async function startScan(ids: AsyncGenerator<number[]>, count: number): Promise<StartedScan> {
  const first: number[][] = [];
  for (let found = 0; found < count && first.length < MAX_FIRST_READS; ) {
    const { value, done } = await ids.next();
    if (done) return { ids: first, areFew: true };
    first.push(value);
    found += value.length;
  }
  return { ids: continued(first, ids), areFew: false };
}

async function* continued<T>(first: readonly T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

/**
 * The same with each message's text, for callers that inspect it. Many ids are read at once: an expression of many terms takes
 * long to evaluate, however few ids it is asked for.
 */
export async function* scanCandidates(
  db: Database,
  scope: SearchScope,
  expected: number,
  filters: CandidateFilters = {},
): AsyncGenerator<Candidate[]> {
  for await (const ids of scanManyIds(db, scope, expected)) yield* candidatesOf(db, scope, ids, filters);
}

/** Many ids at once, for callers that check them: times and long lists of senders or chats are not checked. */
export function scanManyIds(db: Database, scope: SearchScope, expected: number): AsyncGenerator<number[]> {
  return withPending(db, scope, scanRoughIds(db, scope, expected));
}

async function* scanRoughIds(db: Database, scope: SearchScope, expected: number): AsyncGenerator<number[]> {
  const options = { columns: undefined, firstRows: Math.max(expected, FEW_CANDIDATES), maxRows: MAX_IDS };
  for await (const found of scanSlices<{ id: number }>(db, scope, options)) yield found.map(({ id }) => id);
}

/** Messages that are not in the index of pairs yet may have any. */
function withPending(db: Database, scope: SearchScope, ids: AsyncGenerator<number[]>): AsyncGenerator<number[]> {
  return scope.index === 'message_pairs' ? mergeNewestFirst([ids, scanPending(db, scope)]) : ids;
}

async function* scanPending(db: Database, scope: SearchScope): AsyncGenerator<number[]> {
  const { places, low, high } = scope;
  const checks = places.length === 0 ? scope.checks : [matchesExpression(fitting(places)), ...scope.checks];
  for (let below: number | undefined = high; below !== undefined; ) {
    const end: number = below;
    const { ids, pending } = await db.read((reader) => {
      const pending = pendingBetween(reader, low, end, MAX_PENDING);
      const rows = reader.all<ScopedRow>(selectRows(SCOPED_COLUMNS), JSON.stringify(pending)).filter(isWithin(scope));
      const wanted = rows.map(({ id }) => id);
      return { ids: checks.reduce<readonly number[]>((left, check) => check(reader, left), wanted), pending };
    });
    if (ids.length > 0) yield [...ids];
    below = pending.length < MAX_PENDING ? undefined : pending.at(-1);
  }
}

/** Those of the messages that may match, with their texts, in the order of the ids. */
export async function* candidatesOf(
  db: Database,
  scope: SearchScope,
  ids: readonly number[],
  { expressions = [], pattern }: CandidateFilters,
): AsyncGenerator<Candidate[]> {
  let rest = ids;
  // Reading some texts takes as long as evaluating an expression.
  if (rest.length > MANY_CANDIDATES) {
    for (const each of expressions) rest = await db.read((reader) => matchesExpression(each)(reader, rest));
  }
  for (let start = 0; start < rest.length; start += MAX_CHECKED) {
    const some = rest.slice(start, start + MAX_CHECKED);
    const likely = pattern === undefined ? some : await db.read((reader) => mayContain(pattern)(reader, some));
    for (let left = likely; left.length > 0; ) {
      const { rows, count } = await db.read((reader) => readTexts(reader, left.slice(0, MAX_CANDIDATES)));
      yield rows.filter(isWithin(scope));
      left = left.slice(count);
    }
  }
}

/** What limits the candidates beside the scope. */
export interface CandidateFilters {
  /** Of FTS5, which must match. */
  expressions?: readonly string[];
  /** For LIKE, which is much faster than reading the texts. */
  pattern?: string | undefined;
}

function readTexts(reader: Reader, ids: readonly number[]): { rows: Candidate[]; count: number } {
  const small = withinByteLimit(reader, ids, MAX_BYTES);
  return { rows: reader.all<Candidate>(selectRows(CANDIDATE_COLUMNS), JSON.stringify(small)), count: small.length };
}

interface ScanOptions {
  /** Columns of the message to read; if undefined, only the index is read. */
  columns: string | undefined;
  firstRows: number;
  maxRows: number;
}

/** Id ranges only approximate time ranges, so this filters by the exact timestamps. */
async function* scanExact<Row extends ScopedRow>(
  db: Database,
  scope: SearchScope,
  options: ScanOptions,
): AsyncGenerator<Row[]> {
  for await (const rows of scanSlices<Row>(db, scope, options)) yield rows.filter(isWithin(scope));
}

function isWithin({ senders, chats, ...scope }: SearchScope): (row: ScopedRow) => boolean {
  const { since = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = scope;
  return ({ at, sender, chat }) =>
    at >= since && at < before && (!senders || senders.has(sender)) && (!chats || chats.has(chat));
}

async function* scanSlices<Row extends { id: number }>(
  db: Database,
  scope: SearchScope,
  options: ScanOptions,
): AsyncGenerator<Row[]> {
  let count = Math.min(options.firstRows, options.maxRows);
  const sum = { checked: 0, found: 0 };
  for (const slice of timeSlicesOf(scope)) {
    let high = slice.high;
    for (;;) {
      const missing = options.firstRows - sum.found;
      const wanted = missing > 0 ? missing : count;
      const { rows, below, checked } = await db.read((reader) =>
        read<Row>(reader, options, { ...slice, high }, { count, wanted }),
      );
      if (rows.length > 0) yield rows;
      if (below === undefined) break;
      high = below;
      if (isUsedUp(scope.budget, checked, below)) return;
      sum.checked += checked;
      sum.found += rows.length;
      count = Math.min(nextCount(count, options.firstRows - sum.found, sum), options.maxRows);
    }
  }
}

/** If checks left out some of the first rows, a few more may be enough; finding many takes long for phrases. */
function nextCount(last: number, missing: number, { checked, found }: { checked: number; found: number }): number {
  if (missing <= 0 || found === 0) return last * GROWTH;
  return Math.min(Math.ceil((missing * 2 * checked) / found), last * GROWTH);
}

function isUsedUp(budget: CheckBudget | undefined, checked: number, below: number): boolean {
  if (!budget) return false;
  budget.left -= checked;
  if (budget.left > 0) return false;
  budget.cutAt = below;
  return true;
}

type TimeSlice = Pick<SearchScope, 'index' | 'match' | 'exclude' | 'driver' | 'checks' | 'chat' | 'low' | 'high'>;

const DAY = 86_400_000;
/** Length of each slice in days, newest first; the last slice is the rest. */
const SLICE_DAYS = [60, 365];

/**
 * Splits a search that starts in the past by month tokens, because a common word would otherwise make FTS5 skip all
 * newer matches one by one. Slices begin short, since most searches find enough in the first.
 */
function timeSlicesOf(scope: SearchScope): TimeSlice[] {
  const { match, chat, low, high, drift } = scope;
  if (match.length === 0 || chat !== undefined || high === Number.MAX_SAFE_INTEGER) return [scope];
  const slices: TimeSlice[] = [];
  let end = high;
  for (const days of SLICE_DAYS) {
    const start = Math.max(low, idAt(Math.max(timestampOf(end) - days * DAY, 0)));
    const months = monthsBetween(timestampOf(start - drift), timestampOf(end + drift));
    slices.push({ ...scope, match: [...match, anyOf(months)], low: start, high: end });
    end = start;
    if (end <= low) return slices;
  }
  return [...slices, { ...scope, low, high: end }];
}

function monthsBetween(from: number, to: number): string[] {
  const months = new Set([monthToken(to)]);
  for (let timestamp = Math.max(from, 0); timestamp < to; timestamp += 28 * DAY) months.add(monthToken(timestamp));
  return [...months];
}

interface ScanStep<Row> {
  rows: Row[];
  /** The id below which the next step continues; undefined at the end. */
  below: number | undefined;
  /** Number of messages that the index found and that were checked. */
  checked: number;
}

function read<Row extends { id: number }>(
  reader: Reader,
  options: ScanOptions,
  slice: TimeSlice,
  { count, wanted }: { count: number; wanted: number },
): ScanStep<Row> {
  const { columns, maxRows } = options;
  const [sql, values] = selectIds(slice);
  const limit = slice.checks.length === 0 ? count : Math.min(Math.max(count * LOOKAHEAD, MIN_FOUND), maxRows);
  const found = reader.all<{ id: number }>(sql, ...values, limit).map(({ id }) => id);
  const isByWords = slice.match.length > 0 && slice.index !== 'message_pairs';
  const within = isByWords ? fitting(slice.match, slice.exclude) : undefined;
  const ids: number[] = [];
  let checked = 0;
  do {
    const some: readonly number[] = found.slice(checked, checked + count);
    checked += some.length;
    ids.push(...slice.checks.reduce((left, check) => check(reader, left, within), some));
  } while (checked < found.length && ids.length < wanted);
  const below = checked < found.length || found.length === limit ? found[checked - 1] : undefined;
  const rows = columns === undefined ? ids.map((id) => ({ id }) as Row) : rowsOf<Row>(reader, columns, ids);
  return { rows, below, checked };
}

function rowsOf<Row extends object>(reader: Reader, columns: string, ids: readonly number[]): Row[] {
  return reader.all<Row>(selectRows(columns), JSON.stringify(ids));
}

function selectRows(columns: string): string {
  return `select ${columns} from json_each(?) as found cross join messages as m on m.id = found.value order by m.id desc`;
}

function selectIds({
  index = 'message_words',
  match,
  exclude,
  driver,
  chat,
  low,
  high,
}: TimeSlice): [sql: string, values: SqlValue[]] {
  if (driver) return [driver.sql, [...driver.values, low, high]];
  const newestFirst = 'order by id desc limit ?';
  if (chat !== undefined) {
    return [`select id from messages where chat = ? and id >= ? and id < ? ${newestFirst}`, [chat, low, high]];
  }
  if (match.length === 0) return [`select id from messages where id >= ? and id < ? ${newestFirst}`, [low, high]];
  const sql = `select rowid as id from ${index}
    where ${index} match ? and rowid >= ? and rowid < ? order by rowid desc limit ?`;
  return [sql, [fitting(match, exclude), low, high]];
}
