import type { SearchAttempt } from './attempts.ts';

/** A page as the message store finds it. */
interface FoundPage<Message> {
  messages: readonly Message[];
  hasMore: boolean;
  /** Set if only the newest candidates were examined for what was typed: the oldest of them. */
  examinedFrom?: string;
}

/** An attempt, or another way to list messages. */
type Attempt = Pick<SearchAttempt, 'filter'> & { kind: string };

interface PageOptions {
  limit: number;
  /** Of an earlier page. */
  cursor?: string | undefined;
  sort?: 'relevance' | undefined;
}

/** What the message store is asked for. */
interface PageOfAttempt {
  limit: number;
  beforeId?: string;
  offset?: number;
  sort?: 'relevance';
}

/** Messages and the attempt that found them. */
interface Group<A, Message> {
  attempt: A;
  messages: readonly Message[];
}

export interface SearchPage<A, Message> {
  /** Without any if nothing was found; two if messages with exactly what was typed do not fill the page. */
  groups: readonly Group<A, Message>[];
  /** Cursor of the next page. */
  next?: string;
}

/**
 * A later page is searched in the same way as the first one: the kind of its attempt, then the id of the last message or, sorted by
 * relevance, how many there were. What follows exact matches has the id from which on those are left out.
 */
export const SEARCH_CURSOR = /^(exact|words|part|query|all)\.(?:(\d{1,16})|\+(\d{1,4}))(?:-(\d{1,16}))?$/;

/** Messages of the first attempt that finds any. What only resembles the text that was typed comes after exact matches. */
export async function findPage<A extends Attempt, Message extends { id: string }>(
  attempts: readonly A[],
  { limit, cursor = '', sort }: PageOptions,
  find: (filter: A['filter'], page: PageOfAttempt) => Promise<FoundPage<Message>>,
): Promise<SearchPage<A, Message>> {
  const [, kind, beforeId, offset, from] = SEARCH_CURSOR.exec(cursor) ?? [];
  const place = {
    ...(beforeId === undefined ? {} : { beforeId }),
    ...(offset === undefined ? {} : { offset: Number(offset) }),
  };
  const exact = attempts.find((attempt) => attempt.kind === 'exact');

  async function findIn(attempt: A, filter: A['filter'], at: Omit<PageOfAttempt, 'limit'>, count: number, suffix = '') {
    const found = await find(filter, { ...at, limit: count, ...(sort ? { sort } : {}) });
    const last = sort ? `+${(at.offset ?? 0) + found.messages.length}` : found.messages.at(-1)?.id;
    return {
      group: { attempt, messages: found.messages },
      count: found.messages.length,
      examinedFrom: found.examinedFrom ?? '0',
      ...(found.hasMore ? { next: `${attempt.kind}.${last}${suffix}` } : {}),
    };
  }

  /** Those that are not among the exact ones with this id or a higher one. */
  function findLooser(at: Omit<PageOfAttempt, 'limit'>, count: number, since: string) {
    const looser = attempts.find((attempt) => attempt.kind === 'words' || attempt.kind === 'query');
    const query = exact?.filter.query;
    if (!looser || !query) return undefined;
    return findIn(looser, { query, typed: { kind: 'except', from: since } }, at, count, `-${since}`);
  }

  async function findExactFirst(attempt: A): Promise<SearchPage<A, Message> | undefined> {
    const found = await findIn(attempt, attempt.filter, place, limit);
    if (found.next !== undefined) return { groups: [found.group], next: found.next };
    if (found.count === 0 && kind === undefined) return undefined;
    const left = limit - found.count;
    const looser = await findLooser({}, Math.max(left, 1), found.examinedFrom);
    if (!looser || looser.count === 0) return { groups: [found.group] };
    const start = `${looser.group.attempt.kind}.+0-${found.examinedFrom}`;
    if (left === 0) return { groups: [found.group], next: start };
    return { groups: [found.group, looser.group], ...(looser.next === undefined ? {} : { next: looser.next }) };
  }

  if (from !== undefined) {
    const looser = await findLooser(place, limit, from);
    return looser ? { groups: [looser.group], ...(looser.next === undefined ? {} : { next: looser.next }) } : NOTHING;
  }
  for (const attempt of attempts) {
    if (kind !== undefined && kind !== attempt.kind) continue;
    if (attempt.kind === 'exact') {
      const page = await findExactFirst(attempt);
      if (page) return page;
      continue;
    }
    const found = await findIn(attempt, attempt.filter, place, limit);
    if (found.count > 0) return { groups: [found.group], ...(found.next === undefined ? {} : { next: found.next }) };
  }
  return NOTHING;
}

const NOTHING = { groups: [] };
