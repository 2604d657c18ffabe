import type { Database, Reader } from '../database.ts';

/** A fragment and its position in the word. */
export type WordFragment = { position: 'within' | 'head' | 'tail'; text: string };

const ROWS_PER_READ = 20_000;

/** Whether an index can find such terms; otherwise all terms are scanned. */
export function isIndexed({ position, text }: WordFragment): boolean {
  return position === 'tail' || [...text].length >= 3;
}

/** Terms of the vocabulary that contain the fragment; undefined if there are more than `limit`. */
export async function findTerms(db: Database, wanted: WordFragment, limit: number): Promise<string[] | undefined> {
  if (!isIndexed(wanted)) return scanTerms(db, wanted, limit);
  const found = await db.read((reader) => lookUpTerms(reader, wanted, limit + 1));
  return found.length > limit ? undefined : found.filter((term) => matches(term, wanted));
}

function lookUpTerms(reader: Reader, { position, text }: WordFragment, limit: number): string[] {
  if (position === 'tail') {
    const sql = 'select term from message_terms where term >= ? and term < ? limit ?';
    return reader.all<{ term: string }>(sql, text, `${text}\u{10ffff}`, limit).map(({ term }) => term);
  }
  // Many words contain a fragment, and few of them end with it.
  const part = position === 'head' ? 'substr(t.term, -length(?2)) = ?2' : 'instr(t.term, ?2) > 0';
  const sql = `select t.term from message_term_parts as p cross join message_terms as t on t.key = p.rowid
    where message_term_parts match ?1 and ${part} limit ?3`;
  return reader.all<{ term: string }>(sql, trigramsOf(text), text, limit).map(({ term }) => term);
}

/** An expression that requires all trigrams, in any order; the caller checks the terms it finds. */
export function trigramsOf(text: string): string {
  const characters = [...text];
  const trigrams = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  return [...new Set(trigrams)].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
}

function matches(term: string, { position, text }: WordFragment): boolean {
  if (position === 'within') return term.includes(text);
  return position === 'head' ? term.endsWith(text) : term.startsWith(text);
}

async function scanTerms(db: Database, wanted: WordFragment, limit: number): Promise<string[] | undefined> {
  const found: string[] = [];
  const last = await db.read(
    (reader) => reader.get<{ key: number | null }>('select max(key) as key from message_terms')?.key ?? 0,
  );
  for (let after = 0; after < last; after += ROWS_PER_READ) {
    const from = after;
    const rows = await db.read((reader) =>
      reader.all<{ term: string }>(
        'select term from message_terms where key > ? and key <= ? and instr(term, ?) > 0',
        from,
        from + ROWS_PER_READ,
        wanted.text,
      ),
    );
    for (const { term } of rows) if (matches(term, wanted)) found.push(term);
    if (found.length > limit) return undefined;
  }
  return found;
}
