import type { Database } from '../database.ts';
import { anyOf, phrase } from './fts-expression.ts';
import { mergeNewest } from './merge-newest.ts';
import { type Candidate, scanCandidates } from './scan.ts';
import type { SearchScope } from './search-scope.ts';
import { findTerms, isIndexed, type WordFragment } from './term-search.ts';
import { type FragmentTokens, tokenizeFragment } from './tokenize.ts';

/** Words that are asked for in one expression. */
const MAX_TERMS_PER_QUERY = 300;
/** More words than this take longer than reading everything. */
const MAX_TERMS = 5_000;
/** Messages that are read before anything else when a part is in very many words. */
const NEWEST_ROWS = 2_000;

/**
 * Messages that may have this part in what they say, newest first. A part without a space lies within one word, so the
 * vocabulary knows the words to look for; of a longer part it is the word it begins in, the one it ends in, and those
 * between. A part that is in very many words is mostly in the newest messages too, so they are read first.
 */
export async function* substringCandidates(
  db: Database,
  scope: SearchScope,
  text: string,
  expected: number,
): AsyncGenerator<Candidate[]> {
  if (scope.high - scope.low <= NEWEST_ROWS) {
    // So few ids are sooner read than looked for: whether one message fits is asked of each that arrives.
    yield* scanCandidates(db, scope, expected);
    return;
  }
  const tokens = tokenizeFragment(text);
  const wanted = fragmentsOf(tokens);
  const narrowed = await narrowScope(
    db,
    { ...scope, match: [...scope.match, ...innerPhrases(tokens)] },
    wanted.filter(isIndexed),
  );
  if (!narrowed) return;
  if (narrowed.match.length > scope.match.length) {
    yield* scanCandidates(db, withoutChatIndex(narrowed), expected);
    return;
  }
  const rest = yield* scanNewest(db, scope);
  if (rest) yield* searchByTerms(db, rest, wanted, expected);
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

/** The scope with those parts of words that only a few words have; undefined where there is no such word. */
async function narrowScope(
  db: Database,
  scope: SearchScope,
  wanted: readonly WordFragment[],
): Promise<SearchScope | undefined> {
  const match = [...scope.match];
  for (const each of wanted) {
    const terms = await findTerms(db, each, MAX_TERMS_PER_QUERY);
    if (terms?.length === 0) return undefined;
    if (terms) match.push(anyOf(terms));
  }
  return { ...scope, match };
}

/** Reads the newest messages as they are; gives what is left of the scope. */
async function* scanNewest(db: Database, scope: SearchScope): AsyncGenerator<Candidate[], SearchScope | undefined> {
  let read = 0;
  for await (const rows of scanCandidates(db, scope, NEWEST_ROWS)) {
    yield rows;
    read += rows.length;
    const last = rows.at(-1);
    if (read >= NEWEST_ROWS && last) return { ...scope, high: last.id };
  }
  return undefined;
}

async function* searchByTerms(
  db: Database,
  scope: SearchScope,
  wanted: readonly WordFragment[],
  expected: number,
): AsyncGenerator<Candidate[]> {
  let fewest: string[] | undefined;
  for (const each of wanted) {
    const terms = await findTerms(db, each, MAX_TERMS);
    if (terms && terms.length < (fewest?.length ?? Number.POSITIVE_INFINITY)) fewest = terms;
  }
  if (!fewest) {
    yield* scanCandidates(db, scope, NEWEST_ROWS);
    return;
  }
  const groups = Array.from({ length: Math.ceil(fewest.length / MAX_TERMS_PER_QUERY) }, (_, index) =>
    anyOf((fewest ?? []).slice(index * MAX_TERMS_PER_QUERY, (index + 1) * MAX_TERMS_PER_QUERY)),
  );
  const scans = groups.map((group) =>
    scanCandidates(db, withoutChatIndex({ ...scope, match: [...scope.match, group] }), expected),
  );
  yield* mergeNewest(scans);
}

/** What is asked for by words is not in the index of a chat alone. */
function withoutChatIndex({ chat: _, ...scope }: SearchScope): SearchScope {
  return scope;
}
