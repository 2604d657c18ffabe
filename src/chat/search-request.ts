import { parseQuery } from '../domain/search-query/parse.ts';
import { allOf, anyOf, mapTerms, membersOf, positiveTerms, type SearchQuery } from '../domain/search-query/query.ts';
import { sourceNotFound } from './lookup.ts';
import type { MessageFilter } from './ports.ts';
import type { Marked } from './snippet.ts';
import type { SourceView } from './sources.ts';

/** How messages are matched: whole words, a part of the text, or a query with phrases, negations or alternatives. */
export const MATCH_KINDS = ['words', 'part', 'query'] as const;
export type MatchKind = (typeof MATCH_KINDS)[number];

/** One way to answer a search. */
export interface SearchAttempt {
  kind: MatchKind;
  filter: Pick<MessageFilter, 'text' | 'query'>;
  /** What is marked in the messages. */
  marked: Marked;
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

/** The query of a caller, whose `source:` may be the id, name or kind of a source. Throws if there is no such source. */
export function parseSearch(
  text: string,
  { now, field, sources }: { now: number; field: string; sources: readonly SourceView[] },
): SearchQuery {
  return mapTerms(parseQuery(text, { now, field }), (term) => {
    if (term.kind !== 'source') return term;
    const [first, ...others] = sourcesNamed(sources, term.text).map(
      ({ id }) => ({ kind: 'source', text: id }) as const,
    );
    if (first) return anyOf([first, ...others]);
    throw sourceNotFound(
      term.text,
      sources.map(({ id }) => id),
      field,
    );
  });
}

function sourcesNamed(sources: readonly SourceView[], wanted: string): readonly SourceView[] {
  const exact = sources.filter(({ id }) => id === wanted);
  if (exact.length > 0) return exact;
  const text = wanted.toLowerCase();
  return sources.filter(({ id, name, kind }) => [id, name, kind].some((each) => each.toLowerCase() === text));
}
