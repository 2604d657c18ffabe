import type { InboundEvent } from '../../domain/chat.ts';
import { AppError } from '../../domain/errors.ts';
import type { Grants } from '../../domain/grants.ts';
import type { MessageFilter, MessagePage, MessageStore, PageRequest, StoredMessage } from '../ports.ts';
import type { RestrictedChats } from './restricted-chats.ts';

const NOTHING: MessagePage = { messages: [], hasMore: false };

export function restrictedMessages(messages: MessageStore, chats: RestrictedChats, grants: Grants): MessageStore {
  const { sources, includes } = grants;
  const isWhole = (source: string) => sources.get(source) === '*';
  const ifGranted = (message: StoredMessage | undefined) => (message && includes(message.chat) ? message : undefined);
  const byId: MessageStore['byId'] = async (id) => ifGranted(await messages.byId(id));
  const ofGranted = (found: readonly StoredMessage[]) => found.filter(({ chat }) => includes(chat));

  /** The filter for each kind of grant: whole sources, and single chats. */
  async function narrowed(filter: MessageFilter): Promise<MessageFilter[]> {
    if (filter.chats) {
      const wanted = await Promise.all(filter.chats.map((key) => chats.byKey(key)));
      const keys = wanted.filter((chat) => chat !== undefined).map(({ key }) => key);
      return keys.length === 0 ? [] : [{ ...filter, chats: keys }];
    }
    const wanted = [...sources.keys()].filter((source) => filter.sources?.includes(source) ?? true);
    const whole = wanted.filter(isWhole);
    const single = await Promise.all(wanted.filter((source) => !isWhole(source)).map(chats.granted));
    const keys = single.flat().map(({ key }) => key);
    return [
      ...(whole.length === 0 ? [] : [{ ...filter, sources: whole }]),
      ...(keys.length === 0 ? [] : [{ ...filter, chats: keys }]),
    ];
  }

  async function find(filter: MessageFilter, page: PageRequest): Promise<MessagePage> {
    const [first, second] = await narrowed(filter);
    if (!first) return NOTHING;
    if (!second) return messages.find(first, page);
    return page.sort === 'relevance'
      ? mergedByRelevance(messages, [first, second], page)
      : merged(messages, [first, second], page);
  }

  return {
    find,
    byId,
    async record(batch) {
      const isGranted = (event: InboundEvent) =>
        isWhole(batch.source) || includes({ source: batch.source, id: chatOf(event) });
      if (batch.events.every(isGranted)) return messages.record(batch);
      throw new AppError('FORBIDDEN', 'You may use only some chats, and this is about another.');
    },
    byExternalId: async (chat, externalId) => ifGranted(await messages.byExternalId(chat, externalId)),
    byExternalIds: async (keys, externalIds) => ofGranted(await messages.byExternalIds(keys, externalIds)),
    around: async (id, before, after) => ((await byId(id)) ? ofGranted(await messages.around(id, before, after)) : []),
    thread: async (id, limit) => ((await byId(id)) ? ofGranted(await messages.thread(id, limit)) : []),
    participants: async (chat, limit) => ((await chats.byKey(chat)) ? messages.participants(chat, limit) : []),
    participantCount: async (chat) => ((await chats.byKey(chat)) ? messages.participantCount(chat) : 0),
    async timelines(source) {
      const all = await messages.timelines(source);
      if (isWhole(source)) return all;
      const ids = new Set((await chats.granted(source)).map(({ id }) => id));
      return all.filter(({ chat }) => chat !== undefined && ids.has(chat));
    },
    async extent(source, chat) {
      if (chat !== undefined) return (await chats.byKey(chat)) ? messages.extent(source, chat) : { count: 0 };
      if (isWhole(source)) return messages.extent(source);
      const granted = await chats.granted(source);
      return combineExtents(await Promise.all(granted.map(({ key }) => messages.extent(source, key))));
    },
    async forgetBefore(source, timestamp) {
      checkWhole(isWhole(source));
      return messages.forgetBefore(source, timestamp);
    },
  };
}

/** Operations on a whole source need a grant of all its chats. */
export function checkWhole(isGranted: boolean): void {
  if (isGranted) return;
  throw new AppError('FORBIDDEN', 'This takes a whole source, of which you may use only some chats.');
}

/** Messages per query. */
const PAGE = 500;

/**
 * One page of the messages that fit either filter, merged by their ids, which are in the order of time in all chats. Messages to
 * skip are read page by page and discarded.
 */
async function merged(
  messages: MessageStore,
  filters: readonly MessageFilter[],
  { limit, offset = 0, ...place }: PageRequest,
): Promise<MessagePage> {
  const found: StoredMessage[] = [];
  let { beforeId } = place;
  for (let skip = offset; ; ) {
    const count = Math.min(skip + limit - found.length, PAGE);
    const from = { ...place, ...(beforeId === undefined ? {} : { beforeId }), limit: count };
    const pages = await Promise.all(filters.map((filter) => messages.find(filter, from)));
    const { complete, hasMore } = newestOf(pages);
    found.push(...complete.slice(skip));
    skip = Math.max(0, skip - complete.length);
    const isShort = pages.some((page) => page.hasMore && page.messages.length < count);
    if (!hasMore || complete.length === 0 || found.length >= limit || (isShort && found.length > 0)) {
      return { messages: found.slice(0, limit), hasMore: hasMore || found.length > limit };
    }
    beforeId = complete.at(-1)?.id;
  }
}

/** The best of the messages that fit either filter. */
async function mergedByRelevance(
  messages: MessageStore,
  filters: readonly MessageFilter[],
  { limit, offset = 0, ...page }: PageRequest,
): Promise<MessagePage> {
  const pages = await Promise.all(filters.map((filter) => messages.find(filter, { ...page, limit: offset + limit })));
  const all = pages
    .flatMap(({ messages: found, scores = [] }) =>
      found.map((message, index) => ({ message, score: scores[index] ?? 0 })),
    )
    .sort((a, b) => b.score - a.score || Number(b.message.id) - Number(a.message.id));
  const shown = all.slice(offset, offset + limit);
  return {
    messages: shown.map(({ message }) => message),
    scores: shown.map(({ score }) => score),
    hasMore: all.length > offset + limit || pages.some(({ hasMore }) => hasMore),
  };
}

/** The messages of all pages that are newer than the end of each incomplete page: no unread message is between them. */
function newestOf(pages: readonly MessagePage[]): { complete: readonly StoredMessage[]; hasMore: boolean } {
  const ends = pages.flatMap(({ messages, hasMore }) => (hasMore ? [Number(messages.at(-1)?.id ?? 0)] : []));
  const all = pages.flatMap(({ messages }) => messages).sort((a, b) => Number(b.id) - Number(a.id));
  const complete = all.filter(({ id }) => Number(id) >= Math.max(0, ...ends));
  return { complete, hasMore: ends.length > 0 || complete.length < all.length };
}

function combineExtents(extents: readonly { count: number; oldest?: number; newest?: number }[]) {
  const timestamps = extents.flatMap(({ oldest = [], newest = [] }) => [oldest, newest].flat());
  return {
    count: extents.reduce((sum, { count }) => sum + count, 0),
    ...(timestamps.length === 0 ? {} : { oldest: Math.min(...timestamps), newest: Math.max(...timestamps) }),
  };
}

function chatOf(event: InboundEvent): string {
  if (event.kind === 'message') return event.message.chat.id;
  return event.kind === 'chat' ? event.chat.id : event.chat;
}
