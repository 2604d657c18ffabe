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
  /** Cursor of the page after the message at this index. */
  cursorAfter(index: number): string;
}

export interface SearchPage<A, Message> {
  /** Without any if nothing was found; two if messages with exactly what was typed do not fill the page. */
  groups: readonly Group<A, Message>[];
  /** Cursor of the next page. */
  next?: string;
  /** Cursor of the page after one of the messages, for callers that show only some of them. */
  cursorAfter(id: string): string | undefined;
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
    const {
      messages,
      hasMore,
      examinedFrom = '0',
    } = await find(filter, {
      ...at,
      limit: count,
      ...(sort ? { sort } : {}),
    });
    const cursorAfter = (index: number) =>
      `${attempt.kind}.${sort ? `+${(at.offset ?? 0) + index + 1}` : messages[index]?.id}${suffix}`;
    return { group: { attempt, messages, cursorAfter }, hasMore, examinedFrom };
  }

  /** Those that are not among the exact ones with this id or a higher one; `known` are all of these, if they were found before. */
  async function findLooser(
    at: Omit<PageOfAttempt, 'limit'>,
    { count, since, known }: { count: number; since: string; known?: readonly string[] },
  ) {
    const looser = attempts.find((attempt) => attempt.kind === 'words' || attempt.kind === 'query');
    const query = exact?.filter.query;
    if (!looser || !query) return undefined;
    const typed = { kind: 'except', from: since, ...(known ? { known } : {}) } as const;
    return findIn(looser, { query, typed }, at, count, `-${since}`);
  }

  async function findExactFirst(attempt: A): Promise<SearchPage<A, Message> | undefined> {
    const { group, hasMore, examinedFrom } = await findIn(attempt, attempt.filter, place, limit);
    const count = group.messages.length;
    if (hasMore) return toPage([group], true);
    if (count === 0 && kind === undefined) return undefined;
    const known = kind === undefined ? { known: group.messages.map(({ id }) => id) } : {};
    const looser = await findLooser({}, { count: Math.max(limit - count, 1), since: examinedFrom, ...known });
    if (!looser || looser.group.messages.length === 0) return toPage([group], false);
    if (count < limit) return toPage([group, looser.group], looser.hasMore);
    return { ...toPage([group], false), next: `${looser.group.attempt.kind}.+0-${examinedFrom}` };
  }

  if (from !== undefined) {
    const looser = await findLooser(place, { count: limit, since: from });
    return looser ? toPage([looser.group], looser.hasMore) : toPage<A, Message>([], false);
  }
  for (const attempt of attempts) {
    if (kind !== undefined && kind !== attempt.kind) continue;
    if (attempt.kind === 'exact') {
      const page = await findExactFirst(attempt);
      if (page) return page;
      continue;
    }
    const { group, hasMore } = await findIn(attempt, attempt.filter, place, limit);
    if (group.messages.length > 0) return toPage([group], hasMore);
  }
  return toPage<A, Message>([], false);
}

function toPage<A, Message extends { id: string }>(
  groups: readonly Group<A, Message>[],
  hasMore: boolean,
): SearchPage<A, Message> {
  const last = groups.at(-1);
  return {
    groups,
    ...(hasMore && last ? { next: last.cursorAfter(last.messages.length - 1) } : {}),
    cursorAfter(id) {
      for (const { messages, cursorAfter } of groups) {
        const index = messages.findIndex((message) => message.id === id);
        if (index !== -1) return cursorAfter(index);
      }
      return undefined;
    },
  };
}
