import type { Database } from '../database.ts';
import { anyOf, phrase } from './match.ts';
import { mergeNewest } from './merge-newest.ts';
import type { Scope } from './scope.ts';
import { isIndexed, type PartOfWord, termsLike } from './term-search.ts';
import { type Candidate, walkCandidates } from './walk.ts';
import { type CutPart, cutPart } from './words.ts';

/** Words that are asked for in one expression. */
const FEW = 300;
/** More words than this take longer than reading everything. */
const MANY = 5_000;
/** Messages that are read before anything else when a part is in very many words. */
const NEWEST = 2_000;

/**
 * Messages that may have this part in what they say, newest first. A part without a space lies within one word, so the
 * vocabulary knows the words to look for; of a longer part it is the word it begins in, the one it ends in, and those
 * between. A part that is in very many words is mostly in the newest messages too, so they are read first.
 */
export async function* partCandidates(
  db: Database,
  scope: Scope,
  part: string,
  expected: number,
): AsyncGenerator<Candidate[]> {
  if (scope.high - scope.low <= NEWEST) {
    // So few ids are sooner read than looked for: whether one message fits is asked of each that arrives.
    yield* walkCandidates(db, scope, expected);
    return;
  }
  const cut = cutPart(part);
  const wanted = partsOfWords(cut);
  const narrowed = await narrow(db, { ...scope, match: [...scope.match, ...fixed(cut)] }, wanted.filter(isIndexed));
  if (!narrowed) return;
  if (narrowed.match.length > scope.match.length) {
    yield* walkCandidates(db, withoutChatIndex(narrowed), expected);
    return;
  }
  const rest = yield* newest(db, scope);
  if (rest) yield* deep(db, rest, wanted, expected);
}

function partsOfWords({ within, head, tail }: CutPart): PartOfWord[] {
  return [
    ...(within === undefined ? [] : [{ place: 'within', part: within } as const]),
    ...(head === undefined ? [] : [{ place: 'head', part: head } as const]),
    ...(tail === undefined ? [] : [{ place: 'tail', part: tail } as const]),
  ];
}

function fixed({ inner }: CutPart): string[] {
  return inner.length === 0 ? [] : [phrase(inner)];
}

/** The scope with those parts of words that only a few words have; undefined where there is no such word. */
async function narrow(db: Database, scope: Scope, wanted: readonly PartOfWord[]): Promise<Scope | undefined> {
  const match = [...scope.match];
  for (const each of wanted) {
    const terms = await termsLike(db, each, FEW);
    if (terms?.length === 0) return undefined;
    if (terms) match.push(anyOf(terms));
  }
  return { ...scope, match };
}

/** Reads the newest messages as they are; gives what is left of the scope. */
async function* newest(db: Database, scope: Scope): AsyncGenerator<Candidate[], Scope | undefined> {
  let read = 0;
  for await (const rows of walkCandidates(db, scope, NEWEST)) {
    yield rows;
    read += rows.length;
    const last = rows.at(-1);
    if (read >= NEWEST && last) return { ...scope, high: last.id };
  }
  return undefined;
}

async function* deep(
  db: Database,
  scope: Scope,
  wanted: readonly PartOfWord[],
  expected: number,
): AsyncGenerator<Candidate[]> {
  let fewest: string[] | undefined;
  for (const each of wanted) {
    const terms = await termsLike(db, each, MANY);
    if (terms && terms.length < (fewest?.length ?? Number.POSITIVE_INFINITY)) fewest = terms;
  }
  if (!fewest) {
    yield* walkCandidates(db, scope, NEWEST);
    return;
  }
  const groups = Array.from({ length: Math.ceil(fewest.length / FEW) }, (_, index) =>
    anyOf((fewest ?? []).slice(index * FEW, (index + 1) * FEW)),
  );
  const walks = groups.map((group) =>
    walkCandidates(db, withoutChatIndex({ ...scope, match: [...scope.match, group] }), expected),
  );
  yield* mergeNewest(walks);
}

/** What is asked for by words is not in the index of a chat alone. */
function withoutChatIndex({ chat: _, ...scope }: Scope): Scope {
  return scope;
}
