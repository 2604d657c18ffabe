import type { Database, Transaction } from '../database.ts';
import { merge } from './merge.ts';

/** Of so many words that are added to the index, one page of it is due to be merged. */
const WORDS_PER_PAGE = 100;
/** Less than this is not worth beginning. */
const FEWEST_PAGES = 8;
/** About as many pages of the write-ahead log as SQLite would let come together, in the commit of some batch. */
const WORDS_PER_CHECKPOINT = 10_000;

/**
 * Every transaction adds a segment to the full-text index, and every search looks into each: they are merged as words
 * come in. Each batch does its share of that, so that none does it for many.
 */
export interface Upkeep {
  /** Within the transaction that adds so many words. */
  share(tx: Transaction, words: number): void;
  /** Once that is committed. */
  settle(words: number): Promise<void>;
}

export function createUpkeep(db: Database): Upkeep {
  /** Words that nothing was merged for yet, and those since the log was last written back. */
  let waiting = 0;
  let written = 0;
  const pagesDue = (words: number) => Math.floor((waiting + words) / WORDS_PER_PAGE);
  return {
    share(tx, words) {
      const pages = pagesDue(words);
      if (pages >= FEWEST_PAGES) merge(tx, 'message_words', pages);
    },
    async settle(words) {
      const pages = pagesDue(words);
      waiting += words - (pages >= FEWEST_PAGES ? pages * WORDS_PER_PAGE : 0);
      written += words;
      if (written < WORDS_PER_CHECKPOINT) return;
      written = 0;
      try {
        await db.read((reader) => reader.get('pragma wal_checkpoint(passive)'));
      } catch {
        // The batch is on disk; what cannot be written back now stays in the log until it can.
      }
    },
  };
}
