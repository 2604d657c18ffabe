import type { Database } from '../database.ts';
import { FULL_TEXT_INDEXES, mergeInBackground } from './merge-segments.ts';

/** So many words that were added are worth the trouble. */
const MIN_PENDING_WORDS = 10_000;
/** For so many words a page is merged: somewhat more than comes together, or SQLite would merge all that is left over at once. */
const WORDS_PER_PAGE = 40;

/**
 * Every transaction adds a segment to the full-text indexes, and every search looks into each: they are merged as words
 * come in.
 */
export interface MergeScheduler {
  /** So many words were added. Whatever follows from it happens by itself. */
  wordsAdded(words: number): void;
}

export function createMergeScheduler(db: Database): MergeScheduler {
  /** Words that nothing was merged for yet. */
  let pendingWords = 0;
  let isMerging = false;

  async function mergePending(): Promise<void> {
    const pages = Math.floor(pendingWords / WORDS_PER_PAGE);
    pendingWords = 0;
    isMerging = true;
    try {
      for (const index of FULL_TEXT_INDEXES) await mergeInBackground(db, index, pages);
    } catch {
      // What was added is on disk and is found, only not as fast; the next words bring the next attempt.
    } finally {
      isMerging = false;
    }
  }

  return {
    wordsAdded(words) {
      pendingWords += words;
      if (pendingWords >= MIN_PENDING_WORDS && !isMerging) void mergePending();
    },
  };
}
