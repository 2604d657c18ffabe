import type { Database, Reader } from '../database.ts';

/** Where in a word the part is. */
export type PartOfWord = { place: 'within' | 'head' | 'tail'; part: string };

const ROWS = 20_000;

/** Whether an index leads to such words; otherwise all of them must be looked at. */
export function isIndexed({ place, part }: PartOfWord): boolean {
  return place === 'tail' || [...part].length >= 3;
}

/** Words of the vocabulary that are so; undefined where there are more than this many. */
export async function termsLike(db: Database, wanted: PartOfWord, most: number): Promise<string[] | undefined> {
  if (!isIndexed(wanted)) return scanned(db, wanted, most);
  const found = await db.read((reader) => indexed(reader, wanted, most + 1));
  return found.length > most ? undefined : found.filter((term) => fits(term, wanted));
}

function indexed(reader: Reader, { place, part }: PartOfWord, limit: number): string[] {
  const rows =
    place === 'tail'
      ? reader.all<{ term: string }>(
          'select term from message_terms where term >= ? and term < ? limit ?',
          part,
          `${part}\u{10ffff}`,
          limit,
        )
      : reader.all<{ term: string }>(
          `select t.term from message_term_parts as p cross join message_terms as t on t.key = p.rowid
           where message_term_parts match ? limit ?`,
          threesOf(part),
          limit,
        );
  return rows.map(({ term }) => term);
}

/** All threes of characters, in any order: the words that have them are looked at again. */
function threesOf(part: string): string {
  const characters = [...part];
  const threes = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  return [...new Set(threes)].map((three) => `"${three}"`).join(' AND ');
}

function fits(term: string, { place, part }: PartOfWord): boolean {
  if (place === 'within') return term.includes(part);
  return place === 'head' ? term.endsWith(part) : term.startsWith(part);
}

async function scanned(db: Database, wanted: PartOfWord, most: number): Promise<string[] | undefined> {
  const found: string[] = [];
  const last = await db.read(
    (reader) => reader.get<{ key: number | null }>('select max(key) as key from message_terms')?.key ?? 0,
  );
  for (let after = 0; after < last; after += ROWS) {
    const from = after;
    const rows = await db.read((reader) =>
      reader.all<{ term: string }>(
        'select term from message_terms where key > ? and key <= ? and instr(term, ?) > 0',
        from,
        from + ROWS,
        wanted.part,
      ),
    );
    for (const { term } of rows) if (fits(term, wanted)) found.push(term);
    if (found.length > most) return undefined;
  }
  return found;
}
