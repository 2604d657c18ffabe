import type { Database, Transaction } from '../database.ts';
import { clearAway } from './clear-away.ts';
import { forgetEvents } from './forget-events.ts';
import { idAt } from './ids.ts';
import { inParts, type Part } from './in-parts.ts';
import { removeFromIndex, wordsOf } from './index-row.ts';
import { markOf, raiseMark } from './marks.ts';
import { parseExtra } from './rows.ts';
import { createTally } from './tally.ts';
import { sweepTerms, termsAfter } from './vocabulary.ts';

/** What goes in one transaction, so that neither the thread nor other writers wait long. */
const ROWS = 500;
const CHATS = 200;
const TERMS = 500;
/** Words that are kept in mind while messages are forgotten. */
const MOST_WORDS = 20_000;

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
  const words = new Set<string>();
  const task = { source: key, before: before ?? Number.POSITIVE_INFINITY, words };
  const gone = await inParts(db, { chat: 0, after: 0 }, (tx, place) => forgetSome(tx, task, place), progress);
  if (gone > 0) await forgetWords(db, words);
  if (gone > 0 || before === undefined) await forgetEvents(db, source, before);
  if (gone > 0) await clearAway(db);
  return gone;
}

/** All that is left of a source, at once: what came while it was being forgotten. Gives how many went. */
export function forgetTheRest(tx: Transaction, source: number): number {
  const task = { source, before: Number.POSITIVE_INFINITY, words: new Set<string>() };
  let gone = 0;
  for (let place: Place | undefined = { chat: 0, after: 0 }; place; ) {
    const part: Part<Place> = forgetSome(tx, task, place);
    gone += part.done;
    place = part.next;
  }
  return gone;
}

interface Task {
  source: number;
  before: number;
  /** What they said is added, as long as that is little. */
  words: Set<string>;
}

/** Up to which message of which chat it is done. */
interface Place {
  chat: number;
  after: number;
}

function forgetSome(tx: Transaction, task: Task, start: Place): Part<Place> {
  const gone: number[] = [];
  let place: Place | undefined = start;
  for (let chats = 0; place && chats < CHATS && gone.length < ROWS; chats += 1) {
    place = forgetInChat(tx, task, place, gone);
  }
  for (const id of gone) removeFromIndex(tx, id);
  raiseMark(tx, 'forgotten', gone.length);
  return { done: gone.length, next: place };
}

interface ForgottenRow {
  id: number;
  at: number;
  text: string;
  extra: string | null;
}

/** Adds the ids of what went, and gives where to go on. */
function forgetInChat(
  tx: Transaction,
  { source, before, words }: Task,
  { chat, after }: Place,
  gone: number[],
): Place | undefined {
  const end = before === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : idAt(before) + markOf(tx, 'drift') + 1;
  const sql = 'select id, at, text, extra from messages where chat = ? and id > ? and id < ? order by id limit ?';
  const rows = tx.all<ForgottenRow>(sql, chat, after, end, ROWS);
  const tally = createTally();
  for (const { id, at, text, extra } of rows) {
    if (at >= before) continue;
    tx.run('delete from messages where id = ?', id);
    tally.remove(chat);
    gone.push(id);
    if (words.size < MOST_WORDS) for (const term of wordsOf(text, parseExtra(extra).attachments).terms) words.add(term);
  }
  tally.save(tx);
  const last = rows.at(-1);
  if (rows.length === ROWS && last) return { chat, after: last.id };
  const next = tx.get<{ key: number }>(
    'select key from chats where source = ? and key > ? order by key limit 1',
    source,
    chat,
  );
  return next && { chat: next.key, after: 0 };
}

/** A word that only they said is forgotten with them. Where they said much, the whole vocabulary is gone through. */
async function forgetWords(db: Database, words: ReadonlySet<string>): Promise<void> {
  const some = [...words];
  await inParts(db, 0, (tx, after) => {
    const { terms, next } = some.length < MOST_WORDS ? pieceOf(some, after) : termsAfter(tx, after, TERMS);
    sweepTerms(tx, terms);
    return { done: 0, next };
  });
}

function pieceOf(terms: readonly string[], after: number): { terms: string[]; next?: number } {
  const end = after + TERMS;
  return { terms: terms.slice(after, end), ...(end < terms.length ? { next: end } : {}) };
}
