import type { MessageFilter, PageRequest } from '../../../chat/ports.ts';
import type { Reader } from '../database.ts';
import { anyOf } from './fts-expression.ts';
import type { IdCheck } from './id-checks.ts';
import { chatToken, senderToken, sourceToken, typeToken } from './index-row.ts';
import { markOf } from './marks.ts';
import { idAt, parseId } from './message-ids.ts';
import type { Driver } from './query-plan.ts';
import { withQuery, withTimesOfQuery } from './query-scope.ts';
import { MAX_IN_MATCH, type SearchedSources } from './query-terms.ts';
import { sendersNamed } from './sender-search.ts';

/** Where to search, as opposed to what for. */
export interface SearchScope {
  /** FTS5 expressions that must all match. */
  match: readonly string[];
  /** Those of them that are about where a message belongs, which both indexes of messages have. */
  places: readonly string[];
  /** The full-text index that is searched; default: that of words. */
  index?: 'message_words' | 'message_pairs';
  /** An FTS5 expression that must not match. */
  exclude?: string;
  /** What the index cannot tell. */
  checks: readonly IdCheck[];
  /** Finds candidates instead of `match`, which is then empty. */
  driver?: Driver;
  /** Set if the scope is exactly one chat, which has its own index. */
  chat?: number;
  /** Range of ids, `low` inclusive, `high` exclusive. */
  low: number;
  high: number;
  /** Exact timestamps; id ranges only approximate them. */
  since?: number;
  before?: number;
  /** Set if there are too many for the expression. */
  senders?: ReadonlySet<number>;
  chats?: ReadonlySet<number>;
  /** Largest distance of an id from `idAt` of its timestamp. */
  drift: number;
  /** Limits how many messages are checked. */
  budget?: CheckBudget;
}

/** How many more messages may be checked; changed by the search. */
export interface CheckBudget {
  left: number;
  /** Set when it is used up: the oldest message that was checked. */
  cutAt?: number;
}

/** Undefined if nothing can match. */
export function toSearchScope(reader: Reader, wanted: MessageFilter, page: PageRequest): SearchScope | undefined {
  const filter = withTimesOfQuery(wanted);
  const { contentTypes, since, before } = filter;
  const searched = searchedSources(reader, filter.sources);
  const sources = searched.areAll ? undefined : searched.sources.map(({ key }) => key);
  const chats = filter.chats && chatsWithin(reader, filter.chats, sources);
  const senders = filter.sender === undefined ? undefined : sendersNamed(reader, filter.sender, sources);
  const involved = filter.involving === undefined ? undefined : tokensInvolving(reader, filter.involving, sources);
  if ([sources, chats, contentTypes, senders, involved].some((list) => list?.length === 0)) return undefined;
  const match = [
    ...(sources && !chats ? [anyOf(sources.map(sourceToken))] : []),
    ...(chats && isFew(chats) ? [anyOf(chats.map(chatToken))] : []),
    ...(senders && isFew(senders) ? [anyOf(senders.map(senderToken))] : []),
    ...(involved ? [anyOf(involved)] : []),
    ...(contentTypes ? [anyOf([...new Set(contentTypes)].map(typeToken))] : []),
  ];
  const [chat] = chats ?? [];
  const drift = markOf(reader, 'drift');
  const range = rangeOf(filter, page, drift);
  // Where each message is checked, those that are newer than any of the chats need not be.
  if (chats && !isFew(chats)) range.high = Math.min(range.high, idAt(newestOf(reader, chats)) + drift + 1);
  if (range.low >= range.high) return undefined;
  const scope = {
    match,
    places: match,
    checks: [],
    ...range,
    drift,
    ...(chat !== undefined && chats?.length === 1 && match.length === 1 ? { chat } : {}),
    ...(since === undefined ? {} : { since }),
    ...(before === undefined ? {} : { before }),
    ...(senders && !isFew(senders) ? { senders: new Set(senders) } : {}),
    ...(chats && !isFew(chats) ? { chats: new Set(chats) } : {}),
  };
  const limits = match.length > (sources && !chats ? 1 : 0) ? 'others' : 'sources';
  return withQuery(reader, scope, filter, { sources: searched.sources, limits });
}

function isFew(wanted: readonly number[]): boolean {
  return wanted.length <= MAX_IN_MATCH;
}

function rangeOf(
  { since, before }: MessageFilter,
  { beforeId, afterId }: PageRequest,
  drift: number,
): { low: number; high: number } {
  return {
    low: Math.max(since === undefined ? 0 : idAt(since) - drift, idAfter(afterId)),
    high: Math.min(before === undefined ? Number.MAX_SAFE_INTEGER : idAt(before) + drift + 1, idBefore(beforeId)),
  };
}

/** For an invalid id the range is empty. */
function idBefore(id: string | undefined): number {
  return id === undefined ? Number.MAX_SAFE_INTEGER : (parseId(id) ?? 0);
}

function idAfter(id: string | undefined): number {
  return id === undefined ? 0 : (parseId(id) ?? Number.MAX_SAFE_INTEGER) + 1;
}

/** The sources with these ids. `areAll` if they are all that there are, so that nothing needs to be narrowed. */
function searchedSources(
  reader: Reader,
  ids: readonly string[] | undefined,
): { sources: SearchedSources; areAll: boolean } {
  const all = reader.all<{ key: number; id: string }>('select key, id from chat_sources');
  if (!ids) return { sources: all, areAll: true };
  const wanted = new Set(ids);
  const sources = all.filter(({ id }) => wanted.has(id));
  return { sources, areAll: sources.length > 0 && sources.length === all.length };
}

/** Keys of the chats that belong to one of the sources. */
function chatsWithin(reader: Reader, keys: readonly number[], sources: readonly number[] | undefined): number[] {
  if (!sources) return [...new Set(keys)];
  const sql = `select key from chats
    where key in (select value from json_each(?)) and source in (select value from json_each(?))`;
  return reader.all<{ key: number }>(sql, JSON.stringify(keys), JSON.stringify(sources)).map(({ key }) => key);
}

function newestOf(reader: Reader, chats: readonly number[]): number {
  const sql = 'select max(last_at) as at from chats where key in (select value from json_each(?))';
  return reader.get<{ at: number | null }>(sql, JSON.stringify(chats))?.at ?? 0;
}

/** Of the senders with this id and of the chats with this name. */
function tokensInvolving(reader: Reader, wanted: string, sources: readonly number[] | undefined): string[] {
  const within = sources ? 'source in (select value from json_each(?2))' : '?2 is not null';
  const keys = (sql: string) =>
    reader.all<{ key: number }>(`${sql} and ${within}`, wanted, JSON.stringify(sources ?? [])).map(({ key }) => key);
  return [
    ...keys('select key from senders where id = ?1').map(senderToken),
    ...keys('select key from chats where name = ?1').map(chatToken),
  ];
}
