import type { ArchiveStore } from '../../../chat/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Database } from '../database.ts';
import { FULL_TEXT_INDEXES, mergeManySegments, segmentCount } from './merge-segments.ts';
import { createRecorder } from './recorder.ts';

/**
 * Each transaction adds some segments to the full-text indexes. Merging many at once costs less than merging few again and again; at
 * 256 FTS5 merges them within a commit, while all other writers wait.
 */
const MAX_UNMERGED = 160;

export function createArchiveStore(db: Database, clock: Clock): ArchiveStore {
  const recordBatch = createRecorder(db, clock);

  async function mergeIfDue(): Promise<void> {
    for (const index of FULL_TEXT_INDEXES) {
      const count = await db.read((reader) => segmentCount(reader, index));
      if (count > MAX_UNMERGED) await mergeManySegments(db, index);
    }
  }

  return {
    async record(source, events, texts) {
      const { recorded, chats } = await recordBatch({ source, events, origin: 'import' }, { durable: false, texts });
      if (recorded.added > 0) await mergeIfDue();
      return { ...recorded, chats };
    },
    async finish() {
      for (const index of FULL_TEXT_INDEXES) await mergeManySegments(db, index);
      // A commit waits for the disk only if it changes something. It makes all earlier ones durable too.
      await db.write((tx) => void tx.run('pragma user_version = 0'));
    },
  };
}
