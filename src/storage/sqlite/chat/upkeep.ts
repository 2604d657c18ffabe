import type { Database } from '../database.ts';
import { merge } from './merge.ts';

/** Of so many words that are added to the index, one page of it is due to be merged. */
const WORDS_PER_PAGE = 100;
/** Less than this is not worth a transaction; more than that holds the thread for too long. */
const FEWEST_PAGES = 32;
const MOST_PAGES = 64;

/**
 * Every transaction adds a segment to the full-text index, and every search looks into each. They are merged as words
 * come in, in transactions of their own.
 */
export function createUpkeep(db: Database): (words: number) => Promise<void> {
  let due = 0;
  return async (words) => {
    due += words / WORDS_PER_PAGE;
    while (due >= FEWEST_PAGES) {
      const pages = Math.min(Math.floor(due), MOST_PAGES);
      due -= pages;
      const hasMore = await db.write((tx) => merge(tx, 'message_words', pages));
      if (!hasMore) due = 0;
      // In a turn of its own too; otherwise the commit of some batch would do it for many others.
      await db.read((reader) => reader.get('pragma wal_checkpoint(passive)'));
    }
  };
}
