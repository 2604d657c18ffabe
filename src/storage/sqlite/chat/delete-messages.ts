import type { Database, Transaction } from '../database.ts';
import { type BatchResult, writeInBatches } from './batched-writes.ts';
import { createChatCounters } from './chat-counters.ts';
import { removeFromIndex, termsIn, tokenizeMessage } from './index-row.ts';
import { addToMark, markOf } from './marks.ts';
import { idAt } from './message-ids.ts';
import { purgeIndex } from './purge-index.ts';
import { redactEvents } from './redact-events.ts';
import { parseExtra } from './rows.ts';
import { deleteUnusedTerms, termsAfter } from './vocabulary.ts';

/** Limits per transaction, so that neither the event loop nor other writers wait long. */
const ROWS_PER_BATCH = 500;
const CHATS_PER_BATCH = 200;
const TERMS_PER_BATCH = 500;
/** Maximum number of terms that are collected while messages are deleted. */
const MAX_WORDS = 20_000;

interface DeleteOptions {
  /** Delete only messages older than this timestamp; all if undefined. */
  before?: number;
  progress?: (done: number) => void;
}

/**
 * Deletes messages of a source, the terms that only they contained, and their content in the event log. Returns how
 * many messages were deleted.
 */
export async function deleteMessages(
  db: Database,
  source: string,
  { before, progress }: DeleteOptions,
): Promise<number> {
  const key = await db.read(
    (reader) => reader.get<{ key: number }>('select key from chat_sources where id = ?', source)?.key,
  );
  if (key === undefined) return 0;
  const words = new Set<string>();
  const task = { source: key, before: before ?? Number.POSITIVE_INFINITY, words };
  const deleted = await writeInBatches(
    db,
    { chat: 0, after: 0 },
    (tx, cursor) => deleteBatch(tx, task, cursor),
    progress,
  );
  if (deleted > 0) await deleteUnusedWords(db, words);
  if (deleted > 0 || before === undefined) await redactEvents(db, source, before);
  if (deleted > 0) await purgeIndex(db);
  return deleted;
}

/** Deletes in one transaction what arrived while `deleteMessages` ran. Returns how many messages were deleted. */
export function deleteRemaining(tx: Transaction, source: number): number {
  const task = { source, before: Number.POSITIVE_INFINITY, words: new Set<string>() };
  let deleted = 0;
  for (let cursor: DeleteCursor | undefined = { chat: 0, after: 0 }; cursor; ) {
    const result: BatchResult<DeleteCursor> = deleteBatch(tx, task, cursor);
    deleted += result.done;
    cursor = result.next;
  }
  return deleted;
}

interface DeleteTask {
  source: number;
  before: number;
  /** Terms of the deleted messages, up to `MAX_WORDS`. */
  words: Set<string>;
}

/** The last message handled, and its chat. */
interface DeleteCursor {
  chat: number;
  after: number;
}

function deleteBatch(tx: Transaction, task: DeleteTask, start: DeleteCursor): BatchResult<DeleteCursor> {
  const deleted: number[] = [];
  let cursor: DeleteCursor | undefined = start;
  for (let chats = 0; cursor && chats < CHATS_PER_BATCH && deleted.length < ROWS_PER_BATCH; chats += 1) {
    cursor = deleteInChat(tx, task, cursor, deleted);
  }
  for (const id of deleted) removeFromIndex(tx, id);
  addToMark(tx, 'forgotten', deleted.length);
  return { done: deleted.length, next: cursor };
}

interface MessageRow {
  id: number;
  at: number;
  text: string;
  extra: string | null;
}

/** Adds the deleted ids to `deleted` and returns the cursor for the next call. */
function deleteInChat(
  tx: Transaction,
  { source, before, words }: DeleteTask,
  { chat, after }: DeleteCursor,
  deleted: number[],
): DeleteCursor | undefined {
  const end = before === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : idAt(before) + markOf(tx, 'drift') + 1;
  const sql = 'select id, at, text, extra from messages where chat = ? and id > ? and id < ? order by id limit ?';
  const rows = tx.all<MessageRow>(sql, chat, after, end, ROWS_PER_BATCH);
  const counters = createChatCounters();
  for (const { id, at, text, extra } of rows) {
    if (at >= before) continue;
    tx.run('delete from messages where id = ?', id);
    counters.remove(chat);
    deleted.push(id);
    if (words.size < MAX_WORDS) for (const term of termsIn(tokenizeMessage(text, parseExtra(extra)))) words.add(term);
  }
  counters.save(tx);
  const last = rows.at(-1);
  if (rows.length === ROWS_PER_BATCH && last) return { chat, after: last.id };
  const next = tx.get<{ key: number }>(
    'select key from chats where source = ? and key > ? order by key limit 1',
    source,
    chat,
  );
  return next && { chat: next.key, after: 0 };
}

/** Deletes terms that no message contains any more. If too many were collected, it checks the whole vocabulary. */
async function deleteUnusedWords(db: Database, words: ReadonlySet<string>): Promise<void> {
  const some = [...words];
  await writeInBatches(db, 0, (tx, after) => {
    const { terms, next } = some.length < MAX_WORDS ? sliceOf(some, after) : termsAfter(tx, after, TERMS_PER_BATCH);
    deleteUnusedTerms(tx, terms);
    return { done: 0, next };
  });
}

function sliceOf(terms: readonly string[], after: number): { terms: string[]; next?: number } {
  const end = after + TERMS_PER_BATCH;
  return { terms: terms.slice(after, end), ...(end < terms.length ? { next: end } : {}) };
}
