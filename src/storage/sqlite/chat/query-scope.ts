import type { MessageFilter } from '../../../chat/ports.ts';
import { allOf, membersOf } from '../../../domain/search-query/query.ts';
import type { Reader } from '../database.ts';
import { fitting } from './fts-expression.ts';
import { isNotDiscarded, isOfAccount } from './id-checks.ts';
import { areMostIndexed, pendingBetween } from './pending-pairs.ts';
import type { PairPlan, QueryPlan } from './query-plan.ts';
import { asksForDiscarded, expressionForAll, planQuery, type SearchedSources } from './query-terms.ts';
import type { SearchScope } from './search-scope.ts';

/** Times that the whole query is limited to are part of the filter, because they make a range of ids. */
export function withTimesOfQuery(filter: MessageFilter): MessageFilter {
  if (!filter.query) return filter;
  const members = membersOf(filter.query);
  const after = members.flatMap((member) => (member.kind === 'after' ? [member.at] : []));
  const before = members.flatMap((member) => (member.kind === 'before' ? [member.at] : []));
  if (after.length + before.length === 0) return filter;
  const [first, ...others] = members.filter(({ kind }) => kind !== 'after' && kind !== 'before');
  const { query: _, ...rest } = filter;
  return {
    ...rest,
    ...(first ? { query: allOf([first, ...others]) } : {}),
    ...(after.length === 0 ? {} : { since: Math.max(filter.since ?? Number.NEGATIVE_INFINITY, ...after) }),
    ...(before.length === 0 ? {} : { before: Math.min(filter.before ?? Number.POSITIVE_INFINITY, ...before) }),
  };
}

/** What limits the scope besides the query: at most its sources, or others too. */
interface Limits {
  sources: SearchedSources;
  limits: 'sources' | 'others';
}

/** The scope, narrowed by the query; undefined if nothing can match. */
export function withQuery(
  reader: Reader,
  scope: SearchScope,
  { query, typed, text, skipDiscarded }: MessageFilter,
  { sources, limits }: Limits,
): SearchScope | undefined {
  const plan = query && planQuery(reader, sources, { query, ...(typed ? { typed } : {}) });
  // Without any text, all that fits does so exactly.
  if (plan === 'nothing' || (!query && typed?.kind === 'except')) return undefined;
  const isHidden = skipDiscarded && hasDiscarded(reader) && !(query && asksForDiscarded(reader, sources, query));
  const checks = [...(plan?.checks ?? []), ...(isHidden ? [isNotDiscarded] : [])];
  if (plan?.driver && isByChecksOnly(plan) && limits === 'sources' && text === undefined) {
    const accounts = isOfAccount(sources.map(({ key }) => key));
    return {
      ...scope,
      match: [],
      driver: plan.driver,
      checks: scope.match.length === 0 ? checks : [accounts, ...checks],
    };
  }
  const mayUsePairs = plan?.exclude === undefined && text === undefined && areMostIndexed(reader);
  const byPairs = mayUsePairs && plan?.pairs && withPairs(reader, { ...scope, checks }, plan.pairs);
  if (byPairs) return byPairs;
  return withExclusion(
    withExpressions({ ...scope, checks }, plan?.match === undefined ? [] : [plan.match]),
    plan,
    sources,
  );
}

/** Words cannot be searched in the per-chat index; `match` still contains the chat. */
export function withExpressions(scope: SearchScope, expressions: readonly string[]): SearchScope {
  if (expressions.length === 0) return scope;
  const { chat: _, ...wide } = scope;
  return { ...wide, match: [...scope.match, ...expressions] };
}

/** Whether the index of pairs has all that limits the scope, and most messages. */
export function isInPairs(reader: Reader, { match, places, exclude }: SearchScope): boolean {
  return match === places && exclude === undefined && areMostIndexed(reader);
}

/** The scope, searched in the index of pairs. */
export function inPairs(scope: SearchScope, expressions: readonly string[]): SearchScope {
  const { chat: _, ...wide } = scope;
  return { ...wide, index: 'message_pairs', match: [...scope.places, ...expressions] };
}

/**
 * By pairs alone if so few messages have them that reading their texts is faster than the index of words, or by words among the
 * messages that have the pairs. Undefined if these are too many, or if nothing is gained.
 */
function withPairs(
  reader: Reader,
  scope: SearchScope,
  { expressions, checks, words }: PairPlan,
): SearchScope | undefined {
  const { low, high } = scope;
  const byPairs = inPairs(scope, expressions);
  const limit = words === undefined ? MAX_READ : MAX_AMONG;
  const found = reader.all<{ id: number }>(WITH_PAIRS, fitting(byPairs.match), low, high, limit);
  if (found.length < MAX_READ) return { ...byPairs, checks: [...checks, ...scope.checks] };
  if (words === undefined || found.length === limit) return undefined;
  const pending = pendingBetween(reader, low, high, MAX_AMONG);
  return { ...withExpressions(scope, [words]), among: [...found.map(({ id }) => id), ...pending] };
}

/** Messages whose texts are read: long ones have the most pairs, so that each takes up to 0.2 ms. */
const MAX_READ = 24;
const MAX_AMONG = 2_000;
const WITH_PAIRS =
  'select rowid as id from message_pairs where message_pairs match ? and rowid >= ? and rowid < ? limit ?';

/** FTS5 needs an expression before what is excluded. */
function withExclusion(scope: SearchScope, plan: QueryPlan | undefined, sources: SearchedSources): SearchScope {
  if (plan?.exclude === undefined) return scope;
  const { chat: _, ...wide } = scope;
  return {
    ...wide,
    match: scope.match.length === 0 ? [expressionForAll(sources)] : scope.match,
    exclude: plan.exclude,
  };
}

function isByChecksOnly({ match, exclude }: QueryPlan): boolean {
  return match === undefined && exclude === undefined;
}

function hasDiscarded(reader: Reader): boolean {
  return reader.get('select 1 from emails where is_discarded = 1 limit 1') !== undefined;
}
