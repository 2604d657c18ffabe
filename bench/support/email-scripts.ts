import { cjkWordOf, wordOf, zipf } from './generated-words.ts';

/** A writing system: its words, and the charsets in which people send them. */
export interface Script {
  /** Share of all emails. */
  share: number;
  /** Between words. */
  space: string;
  charsets: readonly string[];
  /** The word of this rank: 0 is the most common one. */
  word(rank: number): string;
  /** A word by its frequency, for numbers from 0 to 1. */
  drawn(random: number): string;
}

/** Emails in the most common script use this many words, those in the others fewer, as their text is shorter. */
export const LATIN_VOCABULARY = 100_000;
const OTHER_VOCABULARY = 30_000;

const latinRank = zipf(LATIN_VOCABULARY, 2.7);
const otherRank = zipf(OTHER_VOCABULARY, 2.7);

export const SCRIPTS: readonly Script[] = [
  { ...{ share: 0.8, space: ' ', charsets: ['utf-8', 'us-ascii'] }, ...words(wordOf, latinRank) },
  {
    ...{ share: 0.08, space: ' ', charsets: ['utf-8', 'iso-8859-1'] },
    ...words(spelled({ ai: 'ä', er: 'ö', ste: 'ß', in: 'é' })),
  },
  { ...{ share: 0.05, space: ' ', charsets: ['utf-8', 'koi8-r'] }, ...words(spelled(letters('абдефгиклмнопрстувз'))) },
  { ...{ share: 0.04, space: '', charsets: ['utf-8', 'gbk'] }, ...words(cjkWordOf) },
  {
    ...{ share: 0.015, space: ' ', charsets: ['utf-8', 'iso-8859-7'] },
    ...words(spelled(letters('αβδεφγικλμνοπρστυωζ'))),
  },
  {
    ...{ share: 0.015, space: ' ', charsets: ['utf-8', 'windows-1256'] },
    ...words(spelled(letters('ابدهفغيكلمنوقرستعزش'))),
  },
];

export function words(make: (rank: number) => string, rankOf = otherRank): Pick<Script, 'word' | 'drawn'> {
  const known: string[] = [];
  const word = (rank: number) => {
    known[rank] ??= make(rank);
    return known[rank];
  };
  return { word, drawn: (random) => word(rankOf(random)) };
}

/** The same words with other letters. */
export function spelled(spelling: Record<string, string>): (rank: number) => string {
  const pattern = new RegExp(Object.keys(spelling).join('|'), 'g');
  return (rank) => wordOf(rank).replace(pattern, (found) => spelling[found] ?? found);
}

/** The letters that words are made of; `w` and `h` are written as `a` and `b`. */
export function letters(alphabet: string): Record<string, string> {
  const latin = 'abdefgiklmnoprstuvz';
  const others = [...alphabet];
  const pairs = [...latin].map((letter, index) => [letter, others[index] ?? letter] as const);
  return { ...Object.fromEntries(pairs), w: others[0] ?? '', h: others[1] ?? '' };
}
