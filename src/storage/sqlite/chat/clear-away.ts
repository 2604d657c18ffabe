import type { Database, Transaction } from '../database.ts';
import { clearMark, markOf } from './marks.ts';
import { INDEXES, type Index, mergePart } from './merge.ts';

/** Pages that are read and merged in one transaction: some milliseconds, in which others do not write. */
const PAGES = 64;
/** As long as fewer than one of so many are gone, clearing them away is not worth it. */
const ONE_OF = 10;

/** Takes what was deleted out of the full-text index, where that is much of it. */
export async function clearAway(db: Database): Promise<void> {
  const { left, gone } = await db.read((reader) => ({
    left: reader.get<{ count: number }>('select coalesce(sum(messages), 0) as count from chats')?.count ?? 0,
    gone: markOf(reader, 'forgotten'),
  }));
  if (gone * ONE_OF <= left) return;
  // FTS5 counts the pages that it writes: the fewer are left of what it reads, the fewer it may write.
  const pages = Math.max(1, Math.round((PAGES * left) / (left + gone)));
  for (const index of INDEXES) await mergeAll(db, index, pages);
  await db.write((tx) => clearMark(tx, 'forgotten'));
}

async function mergeAll(db: Database, index: Index, pages: number): Promise<void> {
  await db.write((tx) => {
    if (isEmpty(tx)) tx.run(`insert into ${index} (${index}) values ('delete-all')`);
  });
  // A negative number begins to merge everything; positive ones go on with what was begun.
  for (let step = -pages; await mergePart(db, index, step); step = pages);
}

function isEmpty(tx: Transaction): boolean {
  return tx.get('select 1 from messages limit 1') === undefined;
}
