import { cjkWordOf, wordOf } from './generated-words.ts';

/** A writing system: how the words of a rank are written, and in which charsets people send them. */
export interface Script {
  /** Share of all emails. */
  share: number;
  word(rank: number): string;
  /** Between words. */
  space: string;
  charsets: readonly string[];
}

const VOCABULARY = 200_000;

export const SCRIPTS: readonly Script[] = [
  { share: 0.8, word: cached(wordOf), space: ' ', charsets: ['utf-8', 'us-ascii'] },
  {
    share: 0.08,
    word: spelled({ ai: 'ä', er: 'ö', ste: 'ß', in: 'é' }),
    space: ' ',
    charsets: ['utf-8', 'iso-8859-1'],
  },
  { share: 0.05, word: spelled(letters('абдефгиклмнопрстувз')), space: ' ', charsets: ['utf-8', 'koi8-r'] },
  { share: 0.04, word: cached((rank) => cjkWordOf(rank % 20_000)), space: '', charsets: ['utf-8', 'gbk'] },
  { share: 0.015, word: spelled(letters('αβδεφγικλμνοπρστυωζ')), space: ' ', charsets: ['utf-8', 'iso-8859-7'] },
  { share: 0.015, word: spelled(letters('ابدهفغيكلمنوقرستعزش')), space: ' ', charsets: ['utf-8', 'windows-1256'] },
];

/** The script that most emails are written in, and searches are made for. */
export function latinWord(rank: number): string {
  return wordOf(rank);
}

function cached(word: (rank: number) => string): (rank: number) => string {
  const known = new Array<string | undefined>(VOCABULARY);
  return (rank) => {
    const found = known[rank] ?? word(rank);
    known[rank] = found;
    return found;
  };
}

/** The same words with other letters. */
function spelled(spelling: Record<string, string>): (rank: number) => string {
  const pattern = new RegExp(Object.keys(spelling).join('|'), 'g');
  return cached((rank) => wordOf(rank).replace(pattern, (found) => spelling[found] ?? found));
}

/** The 19 letters that words are made of, except `w` and `h`. */
function letters(alphabet: string): Record<string, string> {
  const latin = 'abdefgiklmnoprstuvz';
  const others = [...alphabet];
  const pairs = [...latin].map((letter, index) => [letter, others[index] ?? letter] as const);
  return { ...Object.fromEntries(pairs), w: others[0] ?? '', h: others[1] ?? '' };
}
