import type { SqlValue } from '../connection.ts';
import type { Database, Reader } from '../database.ts';
import { idAt, momentOf } from './ids.ts';
import { monthToken } from './index-row.ts';
import { allOf, anyOf } from './match.ts';
import { thatFit } from './rows.ts';
import type { Scope } from './scope.ts';

/** A message that may be what is looked for, with what it says. */
export interface Candidate extends Seen {
  text: string;
  deleted_at: number | null;
  extra: string | null;
}

/** What decides whether a message is within a scope. */
interface Seen {
  id: number;
  at: number;
  sender: number;
  chat: number;
}

/** Rows at a time: a few milliseconds of the thread. */
const MOST_IDS = 5_000;
const MOST_SEEN = 1_000;
const MOST_CANDIDATES = 300;
/** Of texts that are looked through at a time, beyond the first. */
const MOST_BYTES = 512 * 1024;

const SEEN = 'm.id, m.at, m.sender, m.chat';
const CANDIDATE = `${SEEN}, m.text, m.deleted_at, m.extra`;

/** The ids of a scope, newest first, some at a time. */
export async function* walk(db: Database, scope: Scope, expected: number): AsyncGenerator<number[]> {
  const isSure = [scope.since, scope.before, scope.senders, scope.chats].every((limit) => limit === undefined);
  const rows = isSure
    ? walkLegs<{ id: number }>(db, scope, { columns: undefined, first: expected, most: MOST_IDS })
    : walkWithin<Seen>(db, scope, { columns: SEEN, first: expected, most: MOST_SEEN });
  for await (const some of rows) yield some.map(({ id }) => id);
}

/** The same for who must look at each. */
export function walkCandidates(db: Database, scope: Scope, expected: number): AsyncGenerator<Candidate[]> {
  const steps = { columns: CANDIDATE, first: expected, most: MOST_CANDIDATES, mostBytes: MOST_BYTES };
  return walkWithin<Candidate>(db, scope, steps);
}

interface Steps {
  /** Of the message beside its id; where there are none, the index alone is read. */
  columns: string | undefined;
  first: number;
  most: number;
  /** For who reads texts, which may be long. */
  mostBytes?: number;
}

/** Ids only come near moments: these are exact. */
async function* walkWithin<Row extends Seen>(db: Database, scope: Scope, steps: Steps): AsyncGenerator<Row[]> {
  const { since = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, senders, chats } = scope;
  const isWithin = ({ at, sender, chat }: Row) =>
    at >= since && at < before && (!senders || senders.has(sender)) && (!chats || chats.has(chat));
  for await (const rows of walkLegs<Row>(db, scope, steps)) yield rows.filter(isWithin);
}

async function* walkLegs<Row extends { id: number }>(db: Database, scope: Scope, steps: Steps): AsyncGenerator<Row[]> {
  let count = Math.min(steps.first, steps.most);
  for (const leg of legsOf(scope)) {
    let high = leg.high;
    for (;;) {
      const { rows, below } = await db.read((reader) => read<Row>(reader, steps, { ...leg, high }, count));
      if (rows.length > 0) yield rows;
      if (below === undefined) break;
      high = below;
      count = steps.most;
    }
  }
}

type Leg = Pick<Scope, 'match' | 'chat' | 'low' | 'high'>;

const DAY = 86_400_000;
/** Days of each leg, newest first; the rest is the last one. */
const LEGS = [60, 365];

/**
 * Where the search begins somewhere in the past, a common word has much to be passed over before it. Months as words
 * make that cheap; but no more of them than are needed to find enough.
 */
function legsOf(scope: Scope): Leg[] {
  const { match, chat, low, high, drift } = scope;
  const whole = { match, low, high, ...(chat === undefined ? {} : { chat }) };
  if (match.length === 0 || chat !== undefined || high === Number.MAX_SAFE_INTEGER) return [whole];
  const legs: Leg[] = [];
  let end = high;
  for (const days of LEGS) {
    const start = Math.max(low, idAt(Math.max(momentOf(end) - days * DAY, 0)));
    const months = monthsBetween(momentOf(start - drift), momentOf(end + drift));
    legs.push({ match: [...match, anyOf(months)], low: start, high: end });
    end = start;
    if (end <= low) return legs;
  }
  return [...legs, { match, low, high: end }];
}

function monthsBetween(from: number, to: number): string[] {
  const months = new Set([monthToken(to)]);
  for (let moment = Math.max(from, 0); moment < to; moment += 28 * DAY) months.add(monthToken(moment));
  return [...months];
}

interface Step<Row> {
  rows: Row[];
  /** Where the next step goes on; nothing where this was the last. */
  below: number | undefined;
}

function read<Row extends { id: number }>(reader: Reader, steps: Steps, leg: Leg, count: number): Step<Row> {
  const { columns, mostBytes } = steps;
  const [ids, values] = idsOf(leg);
  if (columns === undefined || mostBytes === undefined) {
    const rows = reader.all<Row>(columns === undefined ? ids : rowsOf(columns, ids), ...values, count);
    return { rows, below: rows.length < count ? undefined : rows.at(-1)?.id };
  }
  const found = reader.all<{ id: number }>(ids, ...values, count).map(({ id }) => id);
  const fitting = thatFit(reader, found, mostBytes);
  const rows = reader.all<Row>(rowsOf(columns, 'select value as id from json_each(?)'), JSON.stringify(fitting));
  return { rows, below: found.length < count && fitting.length === found.length ? undefined : fitting.at(-1) };
}

function rowsOf(columns: string, ids: string): string {
  return `select ${columns} from (${ids}) as found cross join messages as m on m.id = found.id order by m.id desc`;
}

function idsOf({ match, chat, low, high }: Leg): [sql: string, values: SqlValue[]] {
  const newestFirst = 'order by id desc limit ?';
  if (chat !== undefined) {
    return [`select id from messages where chat = ? and id >= ? and id < ? ${newestFirst}`, [chat, low, high]];
  }
  if (match.length === 0) return [`select id from messages where id >= ? and id < ? ${newestFirst}`, [low, high]];
  const sql = `select rowid as id from message_words
    where message_words match ? and rowid >= ? and rowid < ? order by rowid desc limit ?`;
  return [sql, [allOf(match), low, high]];
}
