import { MEMORY } from '../connection.ts';
import type { Database, Transaction } from '../database.ts';
import { fold } from './fold.ts';
import { placeTokens, searchedTexts } from './index-row.ts';
import { INDEXED_ROWS, type IndexedRow } from './indexed-rows.ts';
import { mergeWhileQuiet } from './merge-segments.ts';
import { pendingBetween, pendingCount } from './pending-pairs.ts';
import { parseExtra, withinByteLimit } from './rows.ts';
import { pairTokens } from './word-pairs.ts';

/** Fewer messages are not worth a segment of the index: a search reads their texts. */
const MIN_PENDING = 500;
/** Per transaction: some milliseconds, during which other writers wait. */
const MAX_ROWS = 250;
const MAX_BYTES = 256 * 1024;
/** Each transaction adds a segment. */
const STEPS_PER_MERGE = 64;

/** Adds the pairs of words of the messages that were stored since, in the background thread. */
export async function indexPairs(db: Database, signal?: AbortSignal): Promise<void> {
  if ((await db.read((reader) => pendingCount(reader, MIN_PENDING))) < MIN_PENDING) return;
  for (let step = 1; !signal?.aborted && (await indexSome(db)); step += 1) {
    if (step % STEPS_PER_MERGE === 0) await mergeWhileQuiet(db, 'message_pairs', { signal });
  }
  await mergeWhileQuiet(db, 'message_pairs', { signal });
}

async function indexSome(db: Database): Promise<boolean> {
  await db.whenQuiet();
  return db.location === MEMORY ? db.write(indexSomePairs) : db.inBackground({ kind: 'index-pairs' });
}

/** In order: FTS5 writes a segment whenever a lower id follows a higher one. */
const ROWS = `${INDEXED_ROWS} where m.id in (select value from json_each(?)) order by m.id`;

/** The newest ones first, because they are searched first; fewer if `isWriterWaiting`. Returns whether there are more. */
export function indexSomePairs(
  tx: Pick<Transaction, 'get' | 'all' | 'run'>,
  isWriterWaiting: () => boolean = () => false,
): boolean {
  const newest = pendingBetween(tx, 0, Number.MAX_SAFE_INTEGER, MAX_ROWS);
  const ids = new Set(withinByteLimit(tx, newest, MAX_BYTES));
  const rows = tx.all<IndexedRow>(ROWS, JSON.stringify([...ids]));
  for (const [index, row] of rows.entries()) {
    if (index > 0 && isWriterWaiting()) {
      for (const { id } of rows.slice(index)) ids.delete(id);
      break;
    }
    tx.run('insert into message_pairs (rowid, words) values (?, ?)', row.id, wordsOf(row));
  }
  // Also of messages that are no longer there.
  const done = JSON.stringify([...ids]);
  tx.run('delete from message_pairs_pending where id in (select value from json_each(?))', done);
  return pendingCount(tx, 1) > 0;
}

function wordsOf({ content_type: contentType, text, extra, ...keys }: IndexedRow): string {
  const tokens = new Set<string>();
  for (const each of searchedTexts(text, parseExtra(extra))) {
    for (const token of pairTokens(fold(each))) tokens.add(token);
  }
  return `${placeTokens({ ...keys, contentType })} ${[...tokens].join(' ')}`;
}
