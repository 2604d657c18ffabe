import type { Reader, Transaction } from '../database.ts';

/** Messages whose pairs of words are not in `message_pairs` yet. */

/** Before the words of the messages: FTS5 flushes its pending rows whenever a statement opens a savepoint. */
export function addPending(tx: Transaction, ids: readonly number[]): void {
  tx.run('insert or ignore into message_pairs_pending select value from json_each(?)', JSON.stringify(ids));
}

export function removeFromPairs(tx: Transaction, id: number): void {
  tx.run('delete from message_pairs where rowid = ?', id);
  tx.run('delete from message_pairs_pending where id = ?', id);
}

export function pendingCount(reader: Reader, max: number): number {
  const sql = 'select count(*) as count from (select 1 from message_pairs_pending limit ?)';
  return reader.get<{ count: number }>(sql, max)?.count ?? 0;
}

/** A search reads the texts of all of them: with more, as after an import or an update, the index of words is faster. */
const MAX_SEARCHED = 2_000;

export function areMostIndexed(reader: Reader): boolean {
  return pendingCount(reader, MAX_SEARCHED) < MAX_SEARCHED;
}

/** Newest first. */
export function pendingBetween(reader: Reader, low: number, high: number, count: number): number[] {
  const sql = 'select id from message_pairs_pending where id >= ? and id < ? order by id desc limit ?';
  return reader.all<{ id: number }>(sql, low, high, count).map(({ id }) => id);
}
