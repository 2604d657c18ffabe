import type { Reader, Transaction } from '../database.ts';
import { markOf } from './marks.ts';

/** Words that are known to be in the vocabulary, in two generations: the older one goes when the younger one is full. */
const WORDS_PER_GENERATION = 50_000;
/** Longer strings may be slices that keep the whole text they were cut from. */
const LONGEST_REMEMBERED = 12;

/** Every word that was said, so that parts of words can be found. */
export interface Vocabulary {
  /** Adds what is not there yet. What it gives is called once the transaction is committed. */
  learn(tx: Transaction, terms: Iterable<string>): () => void;
}

export function createVocabulary(): Vocabulary {
  let young = new Set<string>();
  let old = new Set<string>();
  let edition = -1;

  function remember(terms: Iterable<string>): void {
    for (const term of terms) young.add(term);
    if (young.size < WORDS_PER_GENERATION) return;
    old = young;
    young = new Set();
  }

  return {
    learn(tx, terms) {
      const current = markOf(tx, 'vocabulary');
      const usable = current === edition;
      const added = new Set<string>();
      for (const term of terms) {
        if (added.has(term) || (usable && (young.has(term) || old.has(term)))) continue;
        if (term.length <= LONGEST_REMEMBERED) added.add(term);
        add(tx, term);
      }
      return () => {
        // Words were taken out meanwhile, here or by another connection: what is remembered from before is not sure.
        if (!usable) [young, old, edition] = [new Set(), new Set(), current];
        if (current === edition) remember(added);
      };
    },
  };
}

function add(tx: Transaction, term: string): void {
  const row = tx.get<{ key: number }>(
    'insert into message_terms (term) values (?) on conflict (term) do nothing returning key',
    term,
  );
  if (row) tx.run('insert into message_term_parts (rowid, term) values (?, ?)', row.key, term);
}

/** Takes out words that no message has any more, a few at a time; gives where to go on. */
export function sweepTerms(tx: Transaction, after: number, count: number): number | undefined {
  const rows = tx.all<{ key: number; term: string }>(
    'select key, term from message_terms where key > ? order by key limit ?',
    after,
    count,
  );
  const unused = rows.filter(({ term }) => !isSaid(tx, term));
  for (const { key } of unused) {
    tx.run('delete from message_terms where key = ?', key);
    tx.run('delete from message_term_parts where rowid = ?', key);
  }
  if (unused.length > 0) tx.run(`update message_marks set value = value + 1 where name = 'vocabulary'`);
  return rows.length < count ? undefined : rows.at(-1)?.key;
}

function isSaid(reader: Reader, term: string): boolean {
  return reader.get('select 1 from message_words where message_words match ? limit 1', `"${term}"`) !== undefined;
}
