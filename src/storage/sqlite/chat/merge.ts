import type { Transaction } from '../database.ts';

/** The full-text indexes: of the words that were said, and of the parts of those words. */
export const INDEXES = ['message_words', 'message_term_parts'] as const;
export type Index = (typeof INDEXES)[number];

/**
 * Merges segments of a full-text index until so many pages are written; whether there is more to merge. A negative
 * number begins to merge everything into one; positive ones go on with what was begun.
 */
export function merge(tx: Transaction, index: Index, pages: number): boolean {
  const before = totalChanges(tx);
  tx.run(`insert into ${index} (${index}, rank) values ('merge', ?)`, pages);
  return totalChanges(tx) - before > 1;
}

function totalChanges(tx: Transaction): number {
  return tx.get<{ count: number }>('select total_changes() as count')?.count ?? 0;
}
