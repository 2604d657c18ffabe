import type { ArchiveStore } from '../../../chat/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Database } from '../database.ts';
import { FULL_TEXT_INDEXES, mergeInBackground } from './merge-segments.ts';
import { createRecorder } from './recorder.ts';

/**
 * Each transaction adds one or two segments to the full-text index. Merging many at once costs less than merging few again and
 * again; at 256 FTS5 merges them within a commit, while all other writers wait.
 */
const BATCHES_PER_MERGE = 80;
/** Some milliseconds, during which other writers wait. */
const PAGES_PER_STEP = 200;

export function createArchiveStore(db: Database, clock: Clock): ArchiveStore {
  const recordBatch = createRecorder(db, clock);
  let unmerged = 0;

  async function merge(): Promise<void> {
    unmerged = 0;
    for (const index of FULL_TEXT_INDEXES) while (await mergeInBackground(db, index, PAGES_PER_STEP));
  }

  return {
    async record(source, events) {
      const { recorded } = await recordBatch({ source, events, origin: 'import' }, { durable: false });
      if (recorded.added > 0) unmerged += 1;
      if (unmerged >= BATCHES_PER_MERGE) await merge();
      return recorded;
    },
    async finish() {
      await merge();
      // A commit waits for the disk only if it changes something. It makes all earlier ones durable too.
      await db.write((tx) => void tx.run('pragma user_version = 0'));
    },
  };
}
