import type { HistoryPage, HistoryRequest } from '../connector.ts';
import type { KnownChats } from './chats.ts';
import { type BeeperClient, BeeperError } from './client.ts';
import { toInbound } from './convert.ts';
import { type BeeperMessage, readMessages } from './schema.ts';

const NOTHING = { items: [], hasMore: false };

/**
 * Pages of the messages of chats; Beeper decides how many messages a page has. Edits, deletions and reactions that were
 * missed are in the messages themselves, so the last messages before the first page of missed ones are read again.
 */
export function createHistory({ ask }: BeeperClient, chats: KnownChats) {
  const reread = new Set<string>();

  async function pageOf(chat: string, query: Record<string, string>, signal: AbortSignal) {
    const page = readMessages(await ask({ path: ['chats', chat, 'messages'], query, signal }).catch(orNothing));
    return { ...page, items: page.items.toSorted(bySortKey) };
  }

  /** The page that ends with the message at the cursor: pages begin and end beside their cursors. */
  async function lastBefore(chat: string, cursor: string, signal: AbortSignal): Promise<BeeperMessage[]> {
    if (reread.has(chat)) return [];
    const { items } = await pageOf(chat, { cursor, direction: 'before' }, signal);
    const [first] = items;
    const rest = first ? await pageOf(chat, { cursor: first.sortKey, direction: 'after' }, signal) : undefined;
    reread.add(chat);
    return first && rest ? [first, ...rest.items] : [];
  }

  /** Messages that are not stored are left to their own page, which has their place. */
  const changesOf = (message: BeeperMessage) => toInbound(message, chats).filter(({ kind }) => kind !== 'message');

  return async ({ timeline: chat, direction, from, limit, signal }: HistoryRequest): Promise<HistoryPage> => {
    const isOlder = direction === 'older';
    const again = isOlder || from === undefined ? [] : await lastBefore(chat, from, signal);
    const query: Record<string, string> =
      from === undefined ? {} : { cursor: from, direction: isOlder ? 'before' : 'after' };
    const { items: found, hasMore } = await pageOf(chat, query, signal);
    const items = isOlder ? found.slice(-limit) : found.slice(0, limit);
    const [oldest, newest] = [items[0]?.sortKey, items.at(-1)?.sortKey];
    return {
      kind: 'page',
      events: [...again.flatMap(changesOf), ...items.flatMap((message) => toInbound(message, chats))],
      ...(oldest === undefined ? {} : { oldest }),
      ...(newest === undefined ? {} : { newest }),
      end: items.length === found.length && (!hasMore || found.length === 0),
    };
  };
}

/** Sort keys are numbers of any length, or texts. */
export function bySortKey({ sortKey: one }: BeeperMessage, { sortKey: other }: BeeperMessage): number {
  if (/^\d{1,30}$/.test(one) && /^\d{1,30}$/.test(other)) return BigInt(one) < BigInt(other) ? -1 : 1;
  return one < other ? -1 : 1;
}

/** A chat that was deleted has no pages. */
function orNothing(error: unknown): unknown {
  if (error instanceof BeeperError && error.status === 404) return NOTHING;
  throw error;
}
