import type { Database } from '../database.ts';
import { patternFor } from './contains-text.ts';
import { anyOf, phrase } from './fts-expression.ts';
import { withExpressions } from './query-scope.ts';
import { type Candidate, candidatesOf, MAX_IDS, scanCandidates, scanIds } from './scan.ts';
import type { SearchScope } from './search-scope.ts';
import { findTerms, isIndexed, type WordFragment } from './term-search.ts';
import { type FragmentTokens, tokenizeFragment } from './tokenize.ts';
import { signExpressions } from './typed-text.ts';

/** Maximum number of terms in one FTS5 expression. */
const MAX_TERMS_PER_QUERY = 300;
/** With more matching terms than this, reading all messages is faster. */
const MAX_TERMS = 5_000;
const MIN_PREFIX = 3;
/** Number of newest messages to read first when very many terms match. */
const NEWEST_ROWS = 2_000;

/**
 * Messages that may contain the text, newest first. A text without spaces is inside one word, so the vocabulary gives
 * the terms to search for. A longer text consists of the end of a word, whole words and the beginning of a word, and
 * the signs between them. A fragment that very many terms contain is likely to be in the newest messages too, so these
 * are read first.
 */
export async function* substringCandidates(
  db: Database,
  scope: SearchScope,
  text: string,
  expected: number,
): AsyncGenerator<Candidate[]> {
  if (scope.high - scope.low <= NEWEST_ROWS) {
    // With so few ids, reading the messages is faster than the vocabulary. This is the case for every new message
    // that is matched against a subscription.
    yield* scanCandidates(db, scope, expected);
    return;
  }
  const pattern = patternFor(text);
  const tokens = tokenizeFragment(text);
  const wanted = fragmentsOf(tokens);
  const signs = await db.read((reader) => signExpressions(reader, text));
  const known = withExpressions(scope, [...innerPhrases(tokens), ...signs]);
  const groups = await termGroups(db, wanted.filter(isIndexed));
  if (!groups) return;
  const prefixes = prefixesOf(wanted);
  if (known.match.length > scope.match.length) {
    yield* scanCandidates(db, known, expected, { expressions: [...groups, ...prefixes], pattern });
    return;
  }
  const [first, ...others] = groups;
  if (first !== undefined) {
    const expressions = [...others, ...prefixes];
    yield* scanCandidates(db, withExpressions(scope, [first]), expected, { expressions, pattern });
    return;
  }
  const rest = yield* scanNewest(db, scope, pattern);
  if (rest) yield* searchByTerms(db, rest, wanted, pattern);
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
    const terms = await findTerms(db, each, MAX_TERMS_PER_QUERY);
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

/** Reads the newest messages and returns the rest of the scope. */
async function* scanNewest(
  db: Database,
  scope: SearchScope,
  pattern: string | undefined,
): AsyncGenerator<Candidate[], SearchScope | undefined> {
  const ids = scanIds(db, scope, NEWEST_ROWS);
  const { value: newest } = await ids.next();
  await ids.return(undefined);
  const last = (newest ?? []).at(NEWEST_ROWS - 1);
  yield* scanCandidates(db, last === undefined ? scope : { ...scope, low: last }, NEWEST_ROWS, { pattern });
  return last === undefined ? undefined : { ...scope, high: last };
}

/** By the terms of the rarest fragment. */
async function* searchByTerms(
  db: Database,
  scope: SearchScope,
  wanted: readonly WordFragment[],
  pattern: string | undefined,
): AsyncGenerator<Candidate[]> {
  let fewest: { terms: string[]; of: WordFragment } | undefined;
  for (const of of wanted) {
    const terms = await findTerms(db, of, MAX_TERMS);
    if (terms && terms.length < (fewest?.terms.length ?? Number.POSITIVE_INFINITY)) fewest = { terms, of };
  }
  if (!fewest) {
    yield* scanCandidates(db, scope, NEWEST_ROWS, { pattern });
    return;
  }
  const ids = new Set<number>();
  for (let start = 0; start < fewest.terms.length; start += MAX_TERMS_PER_QUERY) {
    const group = anyOf(fewest.terms.slice(start, start + MAX_TERMS_PER_QUERY));
    for await (const some of scanIds(db, withExpressions(scope, [group]), MAX_IDS)) for (const id of some) ids.add(id);
  }
  const { of } = fewest;
  const expressions = prefixesOf(wanted.filter((each) => each !== of));
  const newestFirst = [...ids].sort((a, b) => b - a);
  yield* candidatesOf(db, scope, newestFirst, { expressions, pattern });
}
