import type { InboundEvent } from '../../domain/chat.ts';
import type { HistoryPage, HistoryRequest, Host, Position } from '../connector.ts';

interface FollowedParts {
  host: Pick<Host, 'connected'>;
  history(request: HistoryRequest): Promise<HistoryPage>;
  signal: AbortSignal;
  onMissed(event: InboundEvent): void;
  /** Missed messages could not be fetched; the next connection does it. */
  onFailure(error: unknown): void;
}

const PAGE = 200;

/**
 * Chats with server-side history. The engine fetches missed messages when a chat is first reported. Messages missed
 * while we were out of a channel on the same connection are fetched here, and until then later ones do not advance
 * the known position.
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
    /** We have left it at this cursor, and do not receive its messages. */
    left(chat: string, cursor: string): void {
      if (!followed.has(chat)) return;
      gaps.add(chat);
      if (!newest.has(chat)) newest.set(chat, cursor);
    },
    /** We have joined it, possibly again. */
    joined(chat: string): void {
      follow(chat);
      if (gaps.has(chat)) void close(chat);
    },
    /** Position of a new message in the timeline; undefined while earlier ones may be missing. */
    position(chat: string, cursor: string | undefined): Position | undefined {
      if (cursor === undefined || !followed.has(chat) || gaps.has(chat)) return undefined;
      newest.set(chat, cursor);
      return { timeline: chat, cursor };
    },
  };
}
