import type { ContentType } from '../../../domain/chat.ts';
import type { Database, Transaction } from '../database.ts';
import { writeInBatches } from './batched-writes.ts';
import { addToIndex, type IndexedText, removeFromIndex, tokenizeMessage } from './index-row.ts';
import { addToMark, markOf, setMark } from './marks.ts';
import { createMergeScheduler } from './merge-scheduler.ts';
import { wordCount } from './prepare-events.ts';
import { purgeIndex } from './purge-index.ts';
import { parseExtra } from './rows.ts';
import { areSignsIndexed } from './typed-text.ts';
import { createVocabulary } from './vocabulary.ts';

const ROWS_PER_BATCH = 200;

interface StoredRow {
  id: number;
  source: number;
  chat: number;
  sender: number;
  at: number;
  content_type: ContentType;
  text: string;
  extra: string | null;
}

const ROWS = `
  select m.id, c.source, m.chat, m.sender, m.at, m.content_type, m.text, m.extra
  from messages as m cross join chats as c on c.key = m.chat
  where m.id > ? order by m.id limit ?`;

/**
 * Indexes the messages again that an earlier version has stored, in many short transactions. Continues where it was
 * interrupted. Returns how many messages were indexed.
 */
export async function updateIndex(db: Database, signal?: AbortSignal): Promise<number> {
  if (await db.read(areSignsIndexed)) return 0;
  const { addTerms } = createVocabulary();
  const mergeScheduler = createMergeScheduler(db);
  const count = await writeInBatches(db, {}, (tx) => {
    const rows = tx.all<StoredRow>(ROWS, markOf(tx, 'signs'), ROWS_PER_BATCH);
    const last = rows.at(-1);
    const texts = rows.map((row) => indexAgain(tx, row));
    addTerms(tx, texts);
    mergeScheduler.wordsAdded(wordCount(texts));
    // The former entries are removed below, with those of deleted messages.
    addToMark(tx, 'forgotten', rows.length);
    setMark(tx, 'signs', last?.id ?? Number.MAX_SAFE_INTEGER);
    return { done: rows.length, next: last && !signal?.aborted ? {} : undefined };
  });
  if (!signal?.aborted) await purgeIndex(db);
  return count;
}

function indexAgain(tx: Transaction, row: StoredRow): IndexedText {
  const { id, content_type: contentType, text, extra, ...keys } = row;
  const indexed = tokenizeMessage(text, parseExtra(extra));
  removeFromIndex(tx, id);
  addToIndex(tx, id, { ...keys, contentType }, indexed.words);
  return indexed;
}
