import type { Database, Transaction } from '../database.ts';
import { subjectOf } from './events.ts';
import { idAt } from './ids.ts';
import { removeFromIndex, sourceToken } from './index-row.ts';
import { markOf } from './marks.ts';
import { createTally } from './tally.ts';
import { sweepTerms } from './vocabulary.ts';

/** Rows that go in one transaction, so that neither the thread nor other writers wait long. */
const ROWS = 500;
const TERMS = 500;
const EVENTS = 2_000;

interface Forgetting {
  /** Only what was said before this moment; everything where it is not given. */
  before?: number;
  progress?: (done: number) => void;
}

/** Forgets messages of a source, with their words and what the event log says of them; gives how many went. */
export async function forgetMessages(db: Database, source: string, { before, progress }: Forgetting): Promise<number> {
  const key = await db.read(
    (reader) => reader.get<{ key: number }>('select key from chat_sources where id = ?', source)?.key,
  );
  if (key === undefined) return 0;
  const gone = await inParts(db, (tx, after) => forgetSome(tx, key, after, before), progress);
  if (gone > 0) await forgetWords(db);
  await forgetEvents(db, source, before);
  return gone;
}

async function inParts(
  db: Database,
  part: (tx: Transaction, after: number) => { gone: number; next?: number },
  progress: (done: number) => void = () => {},
): Promise<number> {
  let gone = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const done = await db.write((tx) => part(tx, from));
    gone += done.gone;
    after = done.next;
    progress(gone);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return gone;
}

interface ForgottenRow {
  id: number;
  chat: number;
  at: number;
}

/** As many as go in one transaction. */
export function forgetSome(
  tx: Transaction,
  source: number,
  after: number,
  before = Number.POSITIVE_INFINITY,
): { gone: number; next?: number } {
  const end = before === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : idAt(before) + markOf(tx, 'drift') + 1;
  const rows = tx.all<ForgottenRow>(
    `select m.id, m.chat, m.at from (
       select rowid as id from message_words
       where message_words match ? and rowid > ? and rowid < ? order by rowid limit ?
     ) as found cross join messages as m on m.id = found.id order by m.id`,
    `"${sourceToken(source)}"`,
    after,
    end,
    ROWS,
  );
  const tally = createTally();
  const old = rows.filter(({ at }) => at < before);
  for (const { id, chat } of old) {
    tx.run('delete from messages where id = ?', id);
    removeFromIndex(tx, id);
    tally.remove(chat);
  }
  tally.save(tx);
  const next = rows.length < ROWS ? undefined : rows.at(-1)?.id;
  return { gone: old.length, ...(next === undefined ? {} : { next }) };
}

/** A word that only they said is forgotten with them. */
async function forgetWords(db: Database): Promise<void> {
  await inParts(db, (tx, after) => {
    const next = sweepTerms(tx, after, TERMS);
    return { gone: 0, ...(next === undefined ? {} : { next }) };
  });
}

/** The events keep their numbers, which others count on, and say nothing any more. */
async function forgetEvents(db: Database, source: string, before: number | undefined): Promise<void> {
  const subjects = subjectOf(source);
  const since = before === undefined ? '' : `and json_extract(data, '$.timestamp') < ?`;
  const moment = before === undefined ? [] : [new Date(before).toISOString()];
  await inParts(db, (tx, after) => {
    const newest = tx.get<{ number: number | null }>('select max(number) as number from events')?.number ?? 0;
    const oldest = tx.get<{ number: number | null }>('select min(number) as number from events')?.number ?? 0;
    const from = Math.max(after, oldest - 1);
    const gone = tx.run(
      `update events set data = '{}'
       where number > ? and number <= ? and substr(subject, 1, ?) = ? and data <> '{}' ${since}`,
      from,
      from + EVENTS,
      subjects.length,
      subjects,
      ...moment,
    );
    return { gone, ...(from + EVENTS < newest ? { next: from + EVENTS } : {}) };
  });
}
