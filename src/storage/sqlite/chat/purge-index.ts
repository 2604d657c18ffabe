import type { Database, Transaction } from '../database.ts';
import { markOf, resetMark } from './marks.ts';
import { FULL_TEXT_INDEXES, type FullTextIndex, mergeInBackground } from './merge-segments.ts';

/** Pages that are read and merged in one transaction: some milliseconds, in which others do not write. */
const PAGES_PER_BATCH = 64;
/** As long as fewer than one of so many are gone, clearing them away is not worth it. */
const MIN_DELETED_FRACTION = 10;

/** Takes what was deleted out of the full-text index, where that is much of it. */
export async function purgeIndex(db: Database): Promise<void> {
  const { remaining, deleted } = await db.read((reader) => ({
    remaining: reader.get<{ count: number }>('select coalesce(sum(messages), 0) as count from chats')?.count ?? 0,
    deleted: markOf(reader, 'forgotten'),
  }));
  if (deleted * MIN_DELETED_FRACTION <= remaining) return;
  // FTS5 counts the pages that it writes: the fewer are left of what it reads, the fewer it may write.
  const pages = Math.max(1, Math.round((PAGES_PER_BATCH * remaining) / (remaining + deleted)));
  for (const index of FULL_TEXT_INDEXES) await mergeAll(db, index, pages);
  await db.write((tx) => resetMark(tx, 'forgotten'));
}

async function mergeAll(db: Database, index: FullTextIndex, pages: number): Promise<void> {
  await db.write((tx) => {
    if (isEmpty(tx)) tx.run(`insert into ${index} (${index}) values ('delete-all')`);
  });
  // A negative number begins to merge everything; positive ones go on with what was begun.
  for (let step = -pages; await mergeInBackground(db, index, step); step = pages);
}

function isEmpty(tx: Transaction): boolean {
  return tx.get('select 1 from messages limit 1') === undefined;
}
