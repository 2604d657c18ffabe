import type { Database } from '../database.ts';
import { anyOf, phrase } from './fts-expression.ts';
import { findTerms, isIndexed, type WordFragment } from './term-search.ts';
import type { FragmentTokens } from './tokenize.ts';
import { signExpressions } from './typed-text.ts';

/** A fragment that more terms contain does not limit the candidates. */
const MAX_TERMS = 300;
const MIN_PREFIX = 3;

/** What the index of words knows of a text. */
export interface KnownWords {
  /** Expressions that all match; together they find candidates. */
  match: readonly string[];
  /** Further ones, which are better evaluated for candidates. */
  filters: readonly string[];
}

/**
 * By the end of a word, whole words, the beginning of a word, and signs in the text. Undefined if no message can contain it, because
 * no word ends or begins so.
 */
export async function knownWords(db: Database, text: string, tokens: FragmentTokens): Promise<KnownWords | undefined> {
  const wanted = fragmentsOf(tokens);
  const signs = await db.read((reader) => signExpressions(reader, text));
  const groups = await termGroups(db, wanted.filter(isIndexed));
  if (!groups) return undefined;
  const certain = [...innerPhrases(tokens), ...signs];
  const isKnown = certain.length > 0;
  return {
    match: isKnown ? certain : groups.slice(0, 1),
    filters: [...(isKnown ? groups : groups.slice(1)), ...prefixesOf(wanted)],
  };
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

/**
 * An expression for each fragment that few terms contain, that of the fewest first. Undefined if no term contains one of them. They
 * are evaluated one by one: combined, FTS5 would ask each term for every message that the other terms find.
 */
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
