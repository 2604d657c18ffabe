import type { InboundEvent } from '../../domain/chat.ts';
import type { HistoryPage, HistoryRequest, Host, Position } from '../connector.ts';

interface FollowedParts {
  host: Pick<Host, 'connected'>;
  history(request: HistoryRequest): Promise<HistoryPage>;
  signal: AbortSignal;
  onMissed(event: InboundEvent): void;
  /** What was missed could not be learnt: the next connection will. */
  onFailure(error: unknown): void;
}

const PAGE = 200;

/**
 * The chats whose history the server keeps. The engine asks for what was missed when one is first named; what is missed while we
 * are out of a channel, on the same connection, is asked for here, and until it is there nothing later counts as known.
 */
export function createFollowed({ host, history, signal, onMissed, onFailure }: FollowedParts) {
  const followed = new Set<string>();
  const newest = new Map<string, string>();
  const gaps = new Set<string>();

  function follow(...chats: string[]): void {
    const fresh = chats.filter((chat) => !followed.has(chat));
    for (const chat of fresh) followed.add(chat);
    if (fresh.length > 0) host.connected(fresh.map((chat) => ({ id: chat, chat })));
  }

  async function close(chat: string): Promise<void> {
    try {
      for (let end = false; !end; ) end = await closePart(chat);
      gaps.delete(chat);
    } catch (error) {
      if (!signal.aborted) onFailure(error);
    }
  }

  async function closePart(chat: string): Promise<boolean> {
    const from = newest.get(chat);
    if (from === undefined) return true;
    const page = await history({ timeline: chat, direction: 'newer', from, limit: PAGE, signal });
    page.events.forEach(onMissed);
    if (page.newest !== undefined) newest.set(chat, page.newest);
    return page.end || page.newest === from;
  }

  return {
    follow,
    /** We are out of it, and do not hear what is said there. */
    left(chat: string): void {
      if (followed.has(chat)) gaps.add(chat);
    },
    /** We are in it; again, perhaps. */
    joined(chat: string): void {
      follow(chat);
      if (gaps.has(chat)) void close(chat);
    },
    /** Where something stands that was just said; nothing while something before it may be missing. */
    position(chat: string, cursor: string | undefined): Position | undefined {
      if (cursor === undefined || !followed.has(chat) || gaps.has(chat)) return undefined;
      newest.set(chat, cursor);
      return { timeline: chat, cursor };
    },
  };
}
