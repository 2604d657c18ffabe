import type { IndexedText } from '../../../domain/indexed-text.ts';
import type { Reader, Transaction } from '../database.ts';
import { createHashedSet, type HashedSet } from './hashed-set.ts';
import { addToMark, markOf } from './marks.ts';

/** Slots for terms known to be in the vocabulary: four megabytes. */
const SLOTS = 1 << 19;

const utf8 = new TextEncoder();

/** All terms of all messages, so that substrings of words can be found. */
export interface Vocabulary {
  /** Adds new terms. Call the returned function once the transaction is committed. */
  addTerms(tx: Transaction, texts: readonly IndexedText[]): () => void;
}

export function createVocabulary(): Vocabulary {
  let cache: HashedSet | undefined;
  let version = -1;
  /** As long as no terms are deleted, those of the texts that were stored are in the vocabulary. */
  let firstVersion: number | undefined;
  /** Of the texts that another thread splits, the first ones without a gap. */
  let stored = 0;
  return {
    addTerms(tx, texts) {
      cache ??= createHashedSet(SLOTS);
      const known = cache;
      const current = markOf(tx, 'vocabulary');
      const isCacheValid = current === version;
      const added = new Set<string>();
      if (!isCacheValid) known.clear();
      const areNext = follow(texts, stored);
      const hasEarlier = areNext && current === firstVersion;
      for (const { words, terms, newTerms } of texts) {
        const isScanned = !hasEarlier || newTerms === undefined;
        if (isScanned) known.findMissing(typeof words === 'string' ? utf8.encode(words) : words, added);
        for (const term of isScanned ? terms : newTerms.terms) if (!known.has(term)) added.add(term);
      }
      if (added.size > 0) add(tx, [...added]);
      return () => {
        // Terms were deleted since, by this or another connection, so the cache may be wrong.
        if (known.size + added.size > SLOTS / 2) known.clear();
        version = current;
        firstVersion ??= current;
        for (const term of added) if (known.size < SLOTS / 2) known.add(term);
        if (areNext) stored += texts.length;
      };
    },
  };
}

/** Whether these texts, in any order, are those that were split after the first `stored` ones. */
function follow(texts: readonly IndexedText[], stored: number): boolean {
  const end = stored + texts.length;
  return texts.every(({ newTerms }) => newTerms !== undefined && newTerms.earlier >= stored && newTerms.earlier < end);
}

/**
 * Inserted in sorted order and in one statement, so that writes to the term index stay close together. With `or rollback` SQLite
 * keeps no copy of each page for undoing this statement alone: a failure ends the transaction anyway.
 */
function add(tx: Transaction, terms: string[]): void {
  const last = tx.get<{ key: number | null }>('select max(key) as key from message_terms')?.key ?? 0;
  tx.run(
    'insert or rollback into message_terms (term) select value from json_each(?) where true on conflict (term) do nothing',
    JSON.stringify(terms.sort()),
  );
  tx.run('insert into message_term_parts (rowid, term) select key, term from message_terms where key > ?', last);
}

/** Deletes those of the terms that no message contains any more. */
export function deleteUnusedTerms(tx: Transaction, terms: readonly string[]): void {
  const unused = terms.filter((term) => !isUsed(tx, term));
  if (unused.length === 0) return;
  const rows = tx.all<{ key: number }>(
    'delete from message_terms where term in (select value from json_each(?)) returning key',
    JSON.stringify(unused),
  );
  addToMark(tx, 'vocabulary', 1);
  for (const { key } of rows) tx.run('delete from message_term_parts where rowid = ?', key);
}

/** Some terms after a key, and the key to continue from. */
export function termsAfter(reader: Reader, after: number, count: number): { terms: string[]; next?: number } {
  const rows = reader.all<{ key: number; term: string }>(
    'select key, term from message_terms where key > ? order by key limit ?',
    after,
    count,
  );
  const next = rows.length < count ? undefined : rows.at(-1)?.key;
  return { terms: rows.map(({ term }) => term), ...(next === undefined ? {} : { next }) };
}

function isUsed(reader: Reader, term: string): boolean {
  return reader.get('select 1 from message_words where message_words match ? limit 1', `"${term}"`) !== undefined;
}
