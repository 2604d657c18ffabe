import type { Database } from '../database.ts';
import { FULL_TEXT_INDEXES, mergeInBackground } from './merge-segments.ts';

/** Merging starts when this many words were added. */
const MIN_PENDING_WORDS = 10_000;
/**
 * Pages merged per word: slightly more than is added, because otherwise FTS5's automatic merge would do the rest in
 * one transaction.
 */
const WORDS_PER_PAGE = 40;

/**
 * Each transaction adds a segment to the full-text indexes, and a search reads all segments. This merges them in the
 * background as words are added.
 */
export interface MergeScheduler {
  /** Reports that words were added; starts a merge if enough have accumulated. */
  wordsAdded(words: number): void;
}

export function createMergeScheduler(db: Database): MergeScheduler {
  /** Words added since the last merge. */
  let pendingWords = 0;
  let isMerging = false;

  async function mergePending(): Promise<void> {
    const pages = Math.floor(pendingWords / WORDS_PER_PAGE);
    pendingWords = 0;
    isMerging = true;
    try {
      for (const index of FULL_TEXT_INDEXES) await mergeInBackground(db, index, pages);
    } catch {
      // Search still works, only slower. The next words trigger another attempt.
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
