import type { IndexedText } from '../../../domain/indexed-text.ts';
import type { Database, Transaction } from '../database.ts';
import { writeInBatches } from './batched-writes.ts';
import { indexPairs } from './index-pairs.ts';
import { replaceInIndex, tokenizeMessage } from './index-row.ts';
import { INDEXED_ROWS, type IndexedRow } from './indexed-rows.ts';
import { addToMark, markOf, setMark } from './marks.ts';
import { mergeGrownIndexes } from './merge-grown.ts';
import { createMergeScheduler } from './merge-scheduler.ts';
import { wordCount } from './prepare-events.ts';
import { purgeIndex } from './purge-index.ts';
import { parseExtra } from './rows.ts';
import { areSignsIndexed } from './typed-text.ts';
import { createVocabulary } from './vocabulary.ts';

const ROWS_PER_BATCH = 200;

const ROWS = `${INDEXED_ROWS} where m.id > ? order by m.id limit ?`;

/**
 * Does what storing messages leaves to be done, in many short transactions: indexes those again that an earlier version has
 * stored, adds pairs of words, merges the indexes. Continues where it was interrupted. Returns how many messages were indexed again.
 */
export async function updateIndex(db: Database, signal?: AbortSignal): Promise<number> {
  const count = await indexOldMessages(db, signal);
  await indexPairs(db, signal);
  await mergeGrownIndexes(db, signal);
  return count;
}

async function indexOldMessages(db: Database, signal?: AbortSignal): Promise<number> {
  if (await db.read(areSignsIndexed)) return 0;
  const { addTerms } = createVocabulary();
  const mergeScheduler = createMergeScheduler(db);
  const count = await writeInBatches(db, {}, (tx) => {
    const rows = tx.all<IndexedRow>(ROWS, markOf(tx, 'signs'), ROWS_PER_BATCH);
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

function indexAgain(tx: Transaction, row: IndexedRow): IndexedText {
  const { id, content_type: contentType, text, extra, ...keys } = row;
  const indexed = tokenizeMessage(text, parseExtra(extra));
  replaceInIndex(tx, id, { ...keys, contentType }, indexed.words);
  return indexed;
}
