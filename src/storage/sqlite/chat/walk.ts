import type { SqlValue } from '../connection.ts';
import type { Database, Reader } from '../database.ts';
import { idAt, momentOf } from './ids.ts';
import { monthToken } from './index-row.ts';
import { allOf, anyOf } from './match.ts';
import type { Scope } from './scope.ts';

/** A message that may be what is looked for. */
export interface Candidate {
  id: number;
  at: number;
  sender: number;
}

export interface ReadableCandidate extends Candidate {
  text: string;
  deleted_at: number | null;
  extra: string | null;
}

/** Rows at a time: a few milliseconds of the thread. */
const MOST = 1_000;
const MOST_READABLE = 300;

const BARE = 'm.id, m.at, m.sender';
const READABLE = `${BARE}, m.text, m.deleted_at, m.extra`;

/** The candidates of a scope, newest first, some at a time. */
export function walk(db: Database, scope: Scope, expected: number): AsyncGenerator<Candidate[]> {
  return walkLegs<Candidate>(db, scope, { columns: BARE, first: expected, most: MOST });
}

/** The same with what they say, for who must look at it. */
export function walkReadable(db: Database, scope: Scope, expected: number): AsyncGenerator<ReadableCandidate[]> {
  return walkLegs<ReadableCandidate>(db, scope, { columns: READABLE, first: expected, most: MOST_READABLE });
}

async function* walkLegs<Row extends Candidate>(
  db: Database,
  scope: Scope,
  { columns, first, most }: { columns: string; first: number; most: number },
): AsyncGenerator<Row[]> {
  let count = Math.min(first, most);
  for (const leg of legsOf(scope)) {
    let high = leg.high;
    for (;;) {
      const rows = await db.read((reader) => read<Row>(reader, columns, { ...leg, high }, count));
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (rows.length < count || !last) break;
      high = last.id;
      count = most;
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

function read<Row extends Candidate>(reader: Reader, columns: string, leg: Leg, count: number): Row[] {
  const [ids, values] = idsOf(leg);
  return reader.all<Row>(
    `select ${columns} from (${ids}) as found
       cross join messages as m on m.id = found.id order by m.id desc`,
    ...values,
    count,
  );
}

function idsOf({ match, chat, low, high }: Leg): [sql: string, values: SqlValue[]] {
  if (chat !== undefined) {
    return [
      `${'select id from messages where chat = ? and id >= ? and id < ?'} order by id desc limit ?`,
      [chat, low, high],
    ];
  }
  if (match.length === 0) {
    return ['select id from messages where id >= ? and id < ? order by id desc limit ?', [low, high]];
  }
  const sql = `select rowid as id from message_words
    where message_words match ? and rowid >= ? and rowid < ? order by rowid desc limit ?`;
  return [sql, [allOf(match), low, high]];
}
