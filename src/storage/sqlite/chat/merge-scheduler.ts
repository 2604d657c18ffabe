import type { Database } from '../database.ts';
import { FULL_TEXT_INDEXES, mergeManySegments } from './merge-segments.ts';

/** Fewer words than this are not merged. */
const MIN_PENDING_WORDS = 10_000;
/**
 * So many are merged at once; fewer after a while, because what adds them has more to write, and a merge is in its way. The more
 * segments are merged together, the less often a word is written again.
 */
const MAX_PENDING_WORDS = 400_000;
const DELAY_MS = 1_000;
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

export function createMergeScheduler(db: Database, delayMs = DELAY_MS): MergeScheduler {
  /** Words added since the last merge. */
  let pendingWords = 0;
  let isMerging = false;
  let timer: NodeJS.Timeout | undefined;

  async function mergePending(): Promise<void> {
    const pages = Math.floor(pendingWords / WORDS_PER_PAGE);
    pendingWords = 0;
    clearTimeout(timer);
    timer = undefined;
    isMerging = true;
    try {
      for (const index of FULL_TEXT_INDEXES) await mergeManySegments(db, index, pages);
    } catch {
      // Search still works, only slower. The next words trigger another attempt.
    } finally {
      isMerging = false;
    }
  }

  return {
    wordsAdded(words) {
      pendingWords += words;
      if (isMerging || pendingWords < MIN_PENDING_WORDS) return;
      if (pendingWords >= MAX_PENDING_WORDS) void mergePending();
      else timer ??= setTimeout(() => void mergePending(), delayMs).unref();
    },
  };
}
