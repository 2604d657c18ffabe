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
  const byWords = withExpressions({ ...scope, checks }, plan?.match === undefined ? [] : [plan.match]);
  const byPairs = mayUsePairs && plan?.pairs && withPairs(reader, { ...scope, checks }, plan.pairs);
  return byPairs || withExclusion(byWords, plan, sources);
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

/** By pairs if so few messages have them that reading their texts is faster than the index of words; otherwise undefined. */
function withPairs(
  reader: Reader,
  scope: SearchScope,
  { expressions, checks, words }: PairPlan,
): SearchScope | undefined {
  const { low, high } = scope;
  const byPairs = { ...inPairs(scope, expressions), checks: [...checks, ...scope.checks] };
  const idsWith = (sql: string, match: readonly string[], limit: number) =>
    reader.all<{ id: number }>(sql, fitting(match), low, high, limit).map(({ id }) => id);
  const [few, limit] = words === undefined ? [MAX_READ_PER_PAIR * expressions.length, 0] : [MAX_READ, MAX_BY_PAIRS];
  const found = idsWith(WITH_PAIRS, byPairs.match, Math.max(few, limit));
  if (found.length < few) return byPairs;
  if (words === undefined || found.length === limit) return undefined;
  const having = idsWith(WITH_WORDS, [...scope.match, words], MAX_WITH_WORDS);
  if (having.length === MAX_WITH_WORDS) return byPairs;
  const possible = new Set([...found, ...pendingBetween(reader, low, high, MAX_BY_PAIRS)]);
  const driver = { sql: AMONG, values: [JSON.stringify(having.filter((id) => possible.has(id)))] };
  return { ...withExpressions(scope, [words]), match: [], driver };
}

/**
 * Messages whose texts are read, which takes some 20 µs each. Evaluating a phrase of two common words takes 2 to 4 ms, and one of more
 * up to 20 ms. Of signs, the index of words knows little: what it finds would have to be read, unless few messages have the words.
 */
const MAX_READ_PER_PAIR = 50;
const MAX_READ = 250;
const MAX_BY_PAIRS = 2_000;
const MAX_WITH_WORDS = 600;

const withTokens = (index: 'message_words' | 'message_pairs') =>
  `select rowid as id from ${index} where ${index} match ? and rowid >= ? and rowid < ? limit ?`;
const WITH_PAIRS = withTokens('message_pairs');
const WITH_WORDS = withTokens('message_words');

const AMONG = 'select value as id from json_each(?) where value >= ? and value < ? order by value desc limit ?';

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
