import type { Database } from '../database.ts';
import { INDEXES, mergePart } from './merge.ts';

/** So many words that were added are worth the trouble. */
const WORDS = 10_000;
/** For so many words a page is merged: somewhat more than comes together, or SQLite would merge all that is left over at once. */
const WORDS_PER_PAGE = 40;

/**
 * Every transaction adds a segment to the full-text indexes, and every search looks into each: they are merged as words
 * come in.
 */
export interface Upkeep {
  /** So many words were added. Whatever follows from it happens by itself. */
  noteWords(words: number): void;
}

export function createUpkeep(db: Database): Upkeep {
  /** Words that nothing was merged for yet. */
  let waiting = 0;
  let isMerging = false;

  async function mergeDue(): Promise<void> {
    const pages = Math.floor(waiting / WORDS_PER_PAGE);
    waiting = 0;
    isMerging = true;
    try {
      for (const index of INDEXES) await mergePart(db, index, pages);
    } catch {
      // What was added is on disk and is found, only not as fast; the next words bring the next attempt.
    } finally {
      isMerging = false;
    }
  }

  return {
    noteWords(words) {
      waiting += words;
      if (waiting >= WORDS && !isMerging) void mergeDue();
    },
  };
}
