import type { Database, Reader } from '../database.ts';
import { markOf, setMark } from './marks.ts';
import { FULL_TEXT_INDEXES, mergeWhileQuiet } from './merge-segments.ts';

/** Merged again when so many messages were added, and a fourth of those that there were. */
const MIN_ADDED = 5_000;
const MIN_GROWTH = 0.25;

/**
 * Merges each full-text index into one segment once it has grown much: a search looks up each word in all segments, and a part of a
 * word in all of them for each word that contains it.
 */
export async function mergeGrownIndexes(db: Database, signal?: AbortSignal): Promise<void> {
  const { stored, merged } = await db.read((reader) => ({
    stored: storedCount(reader),
    merged: markOf(reader, 'merged'),
  }));
  if (stored - merged < Math.max(MIN_ADDED, merged * MIN_GROWTH)) return;
  for (const index of FULL_TEXT_INDEXES) await mergeWhileQuiet(db, index, { isFull: true, signal });
  if (!signal?.aborted) await db.write((tx) => setMark(tx, 'merged', stored));
}

export function storedCount(reader: Reader): number {
  return reader.get<{ count: number }>('select coalesce(sum(messages), 0) as count from chat_sources')?.count ?? 0;
}
