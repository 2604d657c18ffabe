import { MEMORY } from '../connection.ts';
import type { Database, Reader, Transaction } from '../database.ts';

/** Full-text indexes: words of messages, trigrams of these words, and pairs of words. */
export const FULL_TEXT_INDEXES = ['message_words', 'message_term_parts', 'message_pairs'] as const;
export type FullTextIndex = (typeof FULL_TEXT_INDEXES)[number];

/** Per transaction: some milliseconds, during which other writers wait. */
const PAGES_PER_MERGE = 200;
const PAGES_PER_STEP = 20;

/**
 * Runs FTS5's merge for up to `pages` pages and returns whether more is left. A negative number starts to merge all
 * segments into one; positive numbers continue. FTS5 stops only between two terms, so a term that is in every message
 * makes a step long.
 */
export function mergeSegments(tx: Pick<Transaction, 'get' | 'run'>, index: FullTextIndex, pages: number): boolean {
  const before = totalChanges(tx);
  tx.run(`insert into ${index} (${index}, rank) values ('merge', ?)`, pages);
  return totalChanges(tx) - before > 1;
}

/** The same in steps of a millisecond; the next one is left if `isWriterWaiting`. */
export function mergeInSteps(
  tx: Pick<Transaction, 'get' | 'run'>,
  index: FullTextIndex,
  pages: number,
  isWriterWaiting: () => boolean,
): boolean {
  const isStart = pages < 0;
  let hasMore = true;
  for (let left = Math.abs(pages); hasMore && left > 0; left -= PAGES_PER_STEP) {
    const step = Math.min(left, PAGES_PER_STEP);
    hasMore = mergeSegments(tx, index, isStart && left === Math.abs(pages) ? -step : step);
    if (isWriterWaiting()) break;
  }
  return hasMore;
}

/**
 * Fewer segments are left as they are: those of earlier merges are large, and all are merged into one when the index has grown
 * much, see `mergeGrownIndexes`.
 */
const MAX_SEGMENTS = 8;

/** Merges in the background while there are many segments, but not more than so many pages. */
export async function mergeManySegments(
  db: Database,
  index: FullTextIndex,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let left = maxPages; left > 0; left -= PAGES_PER_MERGE) {
    if ((await db.read((reader) => segmentCount(reader, index))) <= MAX_SEGMENTS) return;
    if (!(await mergeInBackground(db, index, Math.min(left, PAGES_PER_MERGE)))) return;
  }
}

/** Each is looked up in the index of pages: counting all pages takes long. */
export function segmentCount(reader: Reader, index: FullTextIndex): number {
  const sql = `
    with recursive segments (id) as (
      select min(segid) from ${index}_idx
      union all select (select min(segid) from ${index}_idx where segid > segments.id) from segments where id is not null
    ) select count(id) as count from segments`;
  return reader.get<{ count: number }>(sql)?.count ?? 0;
}

/** Merges in the background thread, as its own transaction. */
function mergeInBackground(
  db: Database,
  index: FullTextIndex,
  pages: number,
  { canStop = false } = {},
): Promise<boolean> {
  if (db.location === MEMORY) return db.write((tx) => mergeSegments(tx, index, pages));
  return db.inBackground({ kind: 'merge', index, pages, canStop });
}

interface LongMerge {
  /** Per transaction. */
  pages?: number;
  /** Of all segments into one. Otherwise of as many as FTS5 would merge by itself. */
  isFull?: boolean;
  signal?: AbortSignal | undefined;
}

/** Merges while nothing else is written, until nothing is left to merge or it is aborted. */
export async function mergeWhileQuiet(
  db: Database,
  index: FullTextIndex,
  { pages = PAGES_PER_MERGE, isFull = false, signal }: LongMerge = {},
): Promise<void> {
  for (let step = isFull ? -pages : pages; !signal?.aborted; step = pages) {
    await db.whenQuiet();
    if (!(await mergeInBackground(db, index, step, { canStop: true }))) return;
  }
}

function totalChanges(tx: Pick<Transaction, 'get'>): number {
  return tx.get<{ count: number }>('select total_changes() as count')?.count ?? 0;
}
