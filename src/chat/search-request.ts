import { parseQuery } from '../domain/search-query/parse.ts';
import { anyOf, mapTerms, type SearchQuery } from '../domain/search-query/query.ts';
import { sourceNotFound } from './lookup.ts';
import type { ListedSource } from './sources.ts';

/** The query of a caller, whose `source:` may be the id, name or kind of a source. Throws if there is no such source. */
export function parseSearch(
  text: string,
  { now, field, sources }: { now: number; field: string; sources: readonly ListedSource[] },
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

function sourcesNamed(sources: readonly ListedSource[], wanted: string): readonly ListedSource[] {
  const exact = sources.filter(({ id }) => id === wanted);
  if (exact.length > 0) return exact;
  const text = wanted.toLowerCase();
  return sources.filter(({ id, name, kind }) => [id, name, kind].some((each) => each.toLowerCase() === text));
}
