import { allOf, membersOf, positiveTerms, type SearchQuery } from './query.ts';

/**
 * How messages are matched: exactly what was typed, whole words, a part of the text, or a query with phrases, negations or
 * alternatives.
 */
export const MATCH_KINDS = ['exact', 'words', 'part', 'query'] as const;
export type MatchKind = (typeof MATCH_KINDS)[number];

/** One way to answer a search. */
export interface SearchAttempt {
  kind: MatchKind;
  /** For the message store: words or a part of the text, and what else must fit. */
  filter: {
    text?: { kind: 'words' | 'part'; text: string };
    query?: SearchQuery;
    typed?: { kind: 'only'; maxExamined?: number } | { kind: 'except'; from: string; known?: readonly string[] };
  };
  /** What is marked in the messages. */
  marked: { kind: 'words' | 'part'; text: string } | { kind: 'terms' | 'exact'; texts: readonly string[] };
}

/**
 * What to search for, in the order of attempts. If what was typed has signs in it, messages that contain exactly that are before
 * all others. Words are searched as whole words and then, if no message has them all, as a part of the text; that has no meaning
 * for phrases, negations and alternatives of them.
 */
export function searchAttempts(query: SearchQuery): SearchAttempt[] {
  const texts = textsIn(query);
  const loose = looseAttempts(query, texts);
  if (!texts.some((text) => MORE_THAN_LETTERS.test(text))) return loose;
  const typed = { kind: 'only', maxExamined: MAX_EXAMINED } as const;
  return [{ kind: 'exact', filter: { query, typed }, marked: { kind: 'exact', texts } }, ...loose];
}

/** Only the most common words with the most common signs have more candidates than are examined in a few milliseconds. */
const MAX_EXAMINED = 1_000;

const MORE_THAN_LETTERS = /[^\p{L}\p{N}\p{M}]/u;

function looseAttempts(query: SearchQuery, texts: readonly string[]): SearchAttempt[] {
  const members = membersOf(query);
  const words = members.flatMap((member) => (member.kind === 'word' ? [member.text] : []));
  const others = members.filter(({ kind }) => kind !== 'word');
  if (words.length === 0 || others.some(hasText)) {
    return [{ kind: 'query', filter: { query }, marked: { kind: 'terms', texts } }];
  }
  const [first, ...rest] = others;
  const text = words.join(' ');
  return (['words', 'part'] as const).map((kind) => ({
    kind,
    filter: { text: { kind, text }, ...(first ? { query: allOf([first, ...rest]) } : {}) },
    marked: { kind, text },
  }));
}

function hasText(query: SearchQuery): boolean {
  if (query.kind === 'not') return hasText(query.of);
  return positiveTerms(query).some(({ kind }) => kind === 'word' || kind === 'phrase');
}

function textsIn(query: SearchQuery): string[] {
  return positiveTerms(query).flatMap((term) => (term.kind === 'word' || term.kind === 'phrase' ? [term.text] : []));
}
