import type { Database } from '../database.ts';
import { INDEXES, merge } from './merge.ts';

/** Pages of each index that are merged in one transaction: some milliseconds. */
const PAGES = 32;
/** For so many words that were added: somewhat more than comes together, or SQLite would merge all that is left over at once. */
const WORDS = 40 * PAGES;

/**
 * Every transaction adds a segment to the full-text indexes, and every search looks into each: they are merged as words
 * come in, a little at a time.
 */
export interface Upkeep {
  /** So many words were added. */
  settle(words: number): Promise<void>;
}

export function createUpkeep(db: Database): Upkeep {
  /** Words that nothing was merged for yet. */
  let waiting = 0;
  return {
    async settle(words) {
      waiting += words;
      try {
        while (waiting >= WORDS) {
          waiting -= WORDS;
          await db.write(
            (tx) => {
              for (const index of INDEXES) merge(tx, index, PAGES);
            },
            { repeatable: true },
          );
        }
      } catch {
        // What was added is on disk and is found, only not as fast; the next words bring the next attempt.
      }
    },
  };
}
