/**
 * What a search query asks for, as a tree. `all` and `any` have at least two members, none of the same kind; a negation
 * contains no negation. `allOf`, `anyOf` and `not` keep it so.
 */
export type SearchQuery =
  | { kind: 'all'; of: readonly SearchQuery[] }
  | { kind: 'any'; of: readonly SearchQuery[] }
  | { kind: 'not'; of: SearchQuery }
  | SearchTerm;

export type SearchTerm =
  /** A word of the text, or these words in this order. */
  | { kind: 'word' | 'phrase'; text: string }
  | { kind: TextOperator; text: string }
  /** Like `in`, but never a chat; it has no operator. */
  | { kind: 'folder'; text: string }
  | { kind: 'has'; what: Content }
  | { kind: 'is'; what: MessageState }
  /** `after` is inclusive, `before` exclusive; milliseconds since 1970. */
  | { kind: 'after' | 'before'; at: number };

/** Operators whose value is any text. */
export const TEXT_OPERATORS = ['from', 'to', 'cc', 'subject', 'filename', 'in', 'source'] as const;
export type TextOperator = (typeof TEXT_OPERATORS)[number];

export const CONTENTS = [
  'attachment',
  'image',
  'video',
  'audio',
  'file',
  'link',
  'sticker',
  'location',
  'contact',
] as const;
export type Content = (typeof CONTENTS)[number];

export const MESSAGE_STATES = ['unread', 'read', 'flagged', 'own', 'reply', 'edited'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

export function allOf(queries: readonly [SearchQuery, ...SearchQuery[]]): SearchQuery {
  return joined('all', queries);
}

export function anyOf(queries: readonly [SearchQuery, ...SearchQuery[]]): SearchQuery {
  return joined('any', queries);
}

export function not(query: SearchQuery): SearchQuery {
  return query.kind === 'not' ? query.of : { kind: 'not', of: query };
}

function joined(kind: 'all' | 'any', queries: readonly [SearchQuery, ...SearchQuery[]]): SearchQuery {
  const of = queries.flatMap((query) => (query.kind === kind ? query.of : [query]));
  return of.length === 1 ? queries[0] : { kind, of };
}

/** The members of a conjunction; a query that is none is its only member. */
export function membersOf(query: SearchQuery): readonly SearchQuery[] {
  return query.kind === 'all' ? query.of : [query];
}

/** All terms, in order. */
export function termsOf(query: SearchQuery): readonly SearchTerm[] {
  if (query.kind === 'not') return termsOf(query.of);
  return query.kind === 'all' || query.kind === 'any' ? query.of.flatMap(termsOf) : [query];
}

/** The terms that a message can match, in order: those of negations are left out. */
export function positiveTerms(query: SearchQuery): readonly SearchTerm[] {
  if (query.kind === 'not') return [];
  return query.kind === 'all' || query.kind === 'any' ? query.of.flatMap(positiveTerms) : [query];
}

/** The same query with each term replaced. */
export function mapTerms(query: SearchQuery, replace: (term: SearchTerm) => SearchQuery): SearchQuery {
  if (query.kind === 'not') return not(mapTerms(query.of, replace));
  if (query.kind !== 'all' && query.kind !== 'any') return replace(query);
  const [first, ...others] = query.of.map((each) => mapTerms(each, replace));
  return first ? joined(query.kind, [first, ...others]) : query;
}
