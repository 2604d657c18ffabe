import type { Database } from '../database.ts';
import { anyOf, phrase } from './fts-expression.ts';
import { findTerms, isIndexed, type WordFragment } from './term-search.ts';
import type { FragmentTokens } from './tokenize.ts';
import { signExpressions } from './typed-text.ts';

/** A fragment that more terms contain does not limit the candidates. */
const MAX_TERMS = 300;
const MIN_PREFIX = 3;
/** Letters of which few words have the same. */
const MIN_RARE = 5;

/** What else is known of the text. */
interface KnownBesides {
  /** The index of pairs finds its signs and the beginning of its last word. */
  hasPairs: boolean;
}

/**
 * What the index of words knows of a text: expressions that all match what contains it, the most telling one first. Each is
 * evaluated on its own: combined, FTS5 would ask each term of one for every message that the others find.
 *
 * These are of whole words and signs, of the end of a word, and of the beginning of a word. Undefined if no message can contain the
 * text, because no word ends or begins so.
 */
export async function knownWords(
  db: Database,
  text: string,
  tokens: FragmentTokens,
  { hasPairs }: KnownBesides,
): Promise<string[] | undefined> {
  const wanted = fragmentsOf(tokens);
  const groups = await termGroups(db, wanted.filter(isIndexed));
  if (!groups || hasPairs) return groups && [...innerPhrases(tokens), ...groups];
  const signs = await db.read((reader) => signExpressions(reader, text));
  const certain = [...innerPhrases(tokens), ...signs];
  return [...(certain.length === 0 ? [] : [`(${certain.join(' AND ')})`]), ...groups, ...prefixesOf(wanted)];
}

/** Whether there are words that end and begin as the text does; not asked for what many words have. */
export async function areWritten(db: Database, tokens: FragmentTokens): Promise<boolean> {
  for (const each of fragmentsOf(tokens)) {
    if (each.text.length >= MIN_RARE && (await findTerms(db, each, 0)) !== undefined) return false;
  }
  return true;
}

function fragmentsOf({ within, head, tail }: FragmentTokens): WordFragment[] {
  return [
    ...(within === undefined ? [] : [{ position: 'within', text: within } as const]),
    ...(head === undefined ? [] : [{ position: 'head', text: head } as const]),
    ...(tail === undefined ? [] : [{ position: 'tail', text: tail } as const]),
  ];
}

function innerPhrases({ inner }: FragmentTokens): string[] {
  return inner.length === 0 ? [] : [phrase(inner)];
}

/** An expression for each fragment that few terms contain, that of the fewest first. Undefined if no term contains one of them. */
async function termGroups(db: Database, wanted: readonly WordFragment[]): Promise<string[] | undefined> {
  const groups: string[][] = [];
  for (const each of wanted) {
    const terms = await findTerms(db, each, MAX_TERMS);
    if (terms?.length === 0) return undefined;
    if (terms) groups.push(terms);
  }
  return groups.sort((a, b) => a.length - b.length).map(anyOf);
}

/** FTS5 merges the messages of all terms with the same beginning, which takes too long for a short one. */
function prefixesOf(wanted: readonly WordFragment[]): string[] {
  const isLong = ({ text }: WordFragment) => text.length >= MIN_PREFIX;
  return wanted.filter((each) => each.position === 'tail' && isLong(each)).map(({ text }) => `${phrase([text])} *`);
}
