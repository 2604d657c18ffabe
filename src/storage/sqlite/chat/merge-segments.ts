import { MEMORY } from '../connection.ts';
import type { Database, Transaction } from '../database.ts';

/** The full-text indexes: of the words that were said, and of the parts of those words. */
export const FULL_TEXT_INDEXES = ['message_words', 'message_term_parts'] as const;
export type FullTextIndex = (typeof FULL_TEXT_INDEXES)[number];

/**
 * Merges segments of a full-text index until so many pages are written; whether there is more to merge. A negative
 * number begins to merge everything into one; positive ones go on with what was begun. It stops only between two words,
 * and a word that every message has is long.
 */
export function mergeSegments(tx: Pick<Transaction, 'get' | 'run'>, index: FullTextIndex, pages: number): boolean {
  const before = totalChanges(tx);
  tx.run(`insert into ${index} (${index}, rank) values ('merge', ?)`, pages);
  return totalChanges(tx) - before > 1;
}

/** The same in the background, as a transaction of its own. */
export function mergeInBackground(db: Database, index: FullTextIndex, pages: number): Promise<boolean> {
  if (db.location === MEMORY) return db.write((tx) => mergeSegments(tx, index, pages));
  return db.inBackground({ kind: 'merge', index, pages });
}

function totalChanges(tx: Pick<Transaction, 'get'>): number {
  return tx.get<{ count: number }>('select total_changes() as count')?.count ?? 0;
}
