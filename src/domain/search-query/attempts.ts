import { allOf, membersOf, positiveTerms, type SearchQuery } from './query.ts';

/** How messages are matched: whole words, a part of the text, or a query with phrases, negations or alternatives. */
export const MATCH_KINDS = ['words', 'part', 'query'] as const;
export type MatchKind = (typeof MATCH_KINDS)[number];

/** One way to answer a search. */
export interface SearchAttempt {
  kind: MatchKind;
  /** For the message store: words or a part of the text, and what else must fit. */
  filter: { text?: { kind: 'words' | 'part'; text: string }; query?: SearchQuery };
  /** What is marked in the messages. */
  marked: { kind: 'words' | 'part'; text: string } | { kind: 'terms'; texts: readonly string[] };
}

/**
 * What to search for, in the order of attempts. Words are searched as whole words first and then, if no message has them all, as
 * a part of the text; that has no meaning for phrases, negations and alternatives of them.
 */
export function searchAttempts(query: SearchQuery): SearchAttempt[] {
  const members = membersOf(query);
  const words = members.flatMap((member) => (member.kind === 'word' ? [member.text] : []));
  const others = members.filter(({ kind }) => kind !== 'word');
  if (words.length === 0 || others.some(hasText)) {
    return [{ kind: 'query', filter: { query }, marked: { kind: 'terms', texts: textsIn(query) } }];
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
