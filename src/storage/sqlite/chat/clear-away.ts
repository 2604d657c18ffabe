import type { Database, Transaction } from '../database.ts';
import { inParts } from './in-parts.ts';
import { clearMark, markOf } from './marks.ts';

/** Pages that are merged in one transaction: some milliseconds. */
const PAGES = 64;
/** As long as fewer than one of so many are gone, clearing them away is not worth it. */
const ONE_OF = 10;

/** Takes what was deleted out of the full-text index, where that is much of it. */
export async function clearAway(db: Database): Promise<void> {
  const isMuch = await db.read((reader) => {
    const left = reader.get<{ count: number }>('select coalesce(sum(messages), 0) as count from chats')?.count ?? 0;
    return markOf(reader, 'forgotten') * ONE_OF > left;
  });
  if (!isMuch) return;
  for (const table of ['message_words', 'message_term_parts'] as const) {
    // A negative number begins to merge everything; positive ones go on with what was begun.
    await inParts(db, -PAGES, (tx, pages) => ({ done: 0, next: merge(tx, table, pages) ? PAGES : undefined }));
  }
  await db.write((tx) => clearMark(tx, 'forgotten'));
}

/** Whether there is more to merge. */
function merge(tx: Transaction, table: 'message_words' | 'message_term_parts', pages: number): boolean {
  const before = totalChanges(tx);
  tx.run(`insert into ${table} (${table}, rank) values ('merge', ?)`, pages);
  return totalChanges(tx) - before > 1;
}

function totalChanges(tx: Transaction): number {
  return tx.get<{ count: number }>('select total_changes() as count')?.count ?? 0;
}
