import type { Database } from '../database.ts';
import { createTextTest, patternFor } from './contains-text.ts';
import { anyOf } from './fts-expression.ts';
import { searchedTexts } from './index-row.ts';
import { areWritten, knownWords } from './known-words.ts';
import { mergeNewestFirst } from './newest-first.ts';
import { inPairs, isInPairs, withExpressions } from './query-scope.ts';
import { parseExtra } from './rows.ts';
import {
  type Candidate,
  candidatesOf,
  type StartedScan,
  scanCandidates,
  scanIds,
  scanManyIds,
  startScan,
} from './scan.ts';
import type { SearchScope } from './search-scope.ts';
import { findTerms, isIndexed, type WordFragment } from './term-search.ts';
import { type FragmentTokens, tokenizeFragment } from './tokenize.ts';
import { pairAlternatives } from './word-pairs.ts';

/** Maximum number of terms in one FTS5 expression. */
const MAX_TERMS_PER_QUERY = 300;
/** With more matching terms than this, reading all messages is faster. */
const MAX_TERMS = 5_000;
/** Number of newest messages to read first when very many terms match. */
const NEWEST_ROWS = 2_000;
/** So many candidates are read without asking another index about them. */
const FEW_ROWS = 2_000;

/** What is searched for. */
interface Substring {
  /** Folded. */
  text: string;
  /** For LIKE, see `patternFor`. */
  pattern: string | undefined;
  /** The ids of those that contain it. */
  containing(rows: readonly Candidate[]): number[];
  /** How many are needed. */
  expected: number;
}

/**
 * Ids of messages that contain the folded text, newest first. A text without spaces and signs is inside one word, so the
 * vocabulary gives the terms to search for. A longer one is found by pairs of words and signs, or by its whole words.
 */
export async function* substringIds(
  db: Database,
  scope: SearchScope,
  text: string,
  expected: number,
): AsyncGenerator<number[]> {
  const contains = createTextTest(text);
  const wanted: Substring = {
    text,
    pattern: patternFor(text),
    containing: (rows) => rows.filter((row) => isTextOf(row, contains)).map(({ id }) => id),
    expected,
  };
  // With so few ids, reading the messages is faster than the vocabulary. This is the case for every new message that is matched
  // against a subscription.
  if (scope.high - scope.low <= NEWEST_ROWS) {
    yield* containingIn(scanCandidates(db, scope, expected), wanted);
    return;
  }
  const tokens = tokenizeFragment(text);
  if (tokens.within === text) yield* idsWithinWords(db, scope, wanted);
  else yield* idsAcrossWords(db, scope, wanted, tokens);
}

async function* containingIn(candidates: AsyncIterable<Candidate[]>, { containing }: Substring) {
  for await (const rows of candidates) yield containing(rows);
}

function isTextOf({ text, deleted_at: deletedAt, extra }: Candidate, isFitting: (text: string) => boolean): boolean {
  if (deletedAt !== null) return false;
  return isFitting(text) || (extra !== null && searchedTexts('', parseExtra(extra)).some(isFitting));
}

/**
 * By pairs or by one of the things that are known of its words, the first of them that few messages have. If there is none, by the
 * first, and the others limit the candidates.
 */
async function* idsAcrossWords(
  db: Database,
  scope: SearchScope,
  wanted: Substring,
  tokens: FragmentTokens,
): AsyncGenerator<number[]> {
  const { text, pattern, expected } = wanted;
  if (!(await areWritten(db, tokens))) return;
  const pairs = (await db.read((reader) => isInPairs(reader, scope))) ? pairAlternatives(text) : [];
  const inAnyPairs = pairs.map((each) => inPairs(scope, each));
  const byPairs = pairs.length === 0 ? undefined : await startIn(db, inAnyPairs);
  const words = byPairs?.areFew ? [] : await knownWords(db, text, tokens, { hasPairs: pairs.length > 0 });
  if (!words) return;
  const isChoice = words.length > (byPairs ? 0 : 1);
  const byWords = isChoice ? await startWithFew(db, scope, words) : undefined;
  const chosen = byWords?.areFew ? byWords : (byPairs ?? byWords);
  const ids = chosen?.ids ?? scanManyIds(db, withExpressions(scope, words), expected);
  const expressions = isChoice ? words.filter((each) => chosen !== byWords || each !== byWords?.expression) : [];
  for await (const some of ids) yield* containingIn(candidatesOf(db, scope, some, { expressions, pattern }), wanted);
}

/** In any of the scopes. */
function startIn(db: Database, scopes: readonly SearchScope[]): Promise<StartedScan> {
  return startScan(mergeNewestFirst(scopes.map((scope) => scanManyIds(db, scope, FEW_ROWS))), FEW_ROWS);
}

/** By the first of the expressions that few messages have; if there is none, by the first. */
async function startWithFew(
  db: Database,
  scope: SearchScope,
  expressions: readonly string[],
): Promise<(StartedScan & { expression: string }) | undefined> {
  let first: (StartedScan & { expression: string }) | undefined;
  for (const expression of expressions) {
    const started = { ...(await startIn(db, [withExpressions(scope, [expression])])), expression };
    if (started.areFew) return started;
    first ??= started;
  }
  return first;
}

/**
 * What has a term that contains the text contains it, so that no message has to be read. A text that very many terms contain is
 * likely to be in the newest messages, so these are read first.
 */
async function* idsWithinWords(db: Database, scope: SearchScope, wanted: Substring): AsyncGenerator<number[]> {
  const fragment: WordFragment = { position: 'within', text: wanted.text };
  const few = isIndexed(fragment) ? await findTerms(db, fragment, MAX_TERMS_PER_QUERY) : undefined;
  if (few) {
    yield* idsOfTerms(db, scope, few, wanted);
    return;
  }
  const rest = yield* scanNewest(db, scope, wanted);
  const many = rest && (await findTerms(db, fragment, MAX_TERMS));
  if (many) yield* idsOfTerms(db, rest, many, wanted);
  else if (rest) yield* containingIn(scanCandidates(db, rest, NEWEST_ROWS, wanted), wanted);
}

function idsOfTerms(
  db: Database,
  scope: SearchScope,
  terms: readonly string[],
  { expected }: Substring,
): AsyncGenerator<number[]> {
  const groups: string[][] = [];
  for (let start = 0; start < terms.length; start += MAX_TERMS_PER_QUERY) {
    groups.push(terms.slice(start, start + MAX_TERMS_PER_QUERY));
  }
  return mergeNewestFirst(groups.map((group) => scanIds(db, withExpressions(scope, [anyOf(group)]), expected)));
}

/** Reads the newest messages and returns the rest of the scope. */
async function* scanNewest(
  db: Database,
  scope: SearchScope,
  wanted: Substring,
): AsyncGenerator<number[], SearchScope | undefined> {
  const ids = scanIds(db, scope, NEWEST_ROWS);
  const { value: newest } = await ids.next();
  await ids.return(undefined);
  const last = (newest ?? []).at(NEWEST_ROWS - 1);
  const newer = last === undefined ? scope : { ...scope, low: last };
  yield* containingIn(scanCandidates(db, newer, NEWEST_ROWS, wanted), wanted);
  return last === undefined ? undefined : { ...scope, high: last };
}
