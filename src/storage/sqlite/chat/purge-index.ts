import type { Database, Transaction } from '../database.ts';
import { markOf, resetMark } from './marks.ts';
import { FULL_TEXT_INDEXES, mergeWhileQuiet } from './merge-segments.ts';

/** Pages merged per transaction: a few milliseconds, during which other writers wait. */
const PAGES_PER_BATCH = 64;
/** Purging pays off only when at least one in this many messages was deleted. */
const MIN_DELETED_FRACTION = 10;

/** Rewrites the full-text indexes without deleted entries, if a large part was deleted. */
export async function purgeIndex(db: Database): Promise<void> {
  const { remaining, deleted } = await db.read((reader) => ({
    remaining: reader.get<{ count: number }>('select coalesce(sum(messages), 0) as count from chats')?.count ?? 0,
    deleted: markOf(reader, 'forgotten'),
  }));
  if (deleted * MIN_DELETED_FRACTION <= remaining) return;
  // FTS5 counts written pages. The less remains of what it reads, the fewer pages it may write per step.
  const pages = Math.max(1, Math.round((PAGES_PER_BATCH * remaining) / (remaining + deleted)));
  for (const index of FULL_TEXT_INDEXES) {
    await db.write((tx) => {
      if (isEmpty(tx)) tx.run(`insert into ${index} (${index}) values ('delete-all')`);
    });
    await mergeWhileQuiet(db, index, { pages, isFull: true });
  }
  await db.write((tx) => resetMark(tx, 'forgotten'));
}

function isEmpty(tx: Transaction): boolean {
  return tx.get('select 1 from messages limit 1') === undefined;
}
