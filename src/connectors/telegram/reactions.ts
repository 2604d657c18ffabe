import type { tl } from '@mtcute/core';
import type { InboundEvent } from '../../domain/chat.ts';
import { isWholeList, reactionEvents, type Translation } from './convert.ts';
import { idOf, senderOf } from './names.ts';

const MAX_MESSAGES = 20_000;

type Reactions = Extract<InboundEvent, { kind: 'reactions' }>;

/**
 * Telegram lists who reacts to a message, not who no longer does: senders that were listed before and are missing from a
 * whole list have removed their reactions. The latest messages are remembered while Switchboard runs.
 */
export function createReactions() {
  const listed = new Map<string, Reactions['sender'][]>();

  function remember(key: string, events: readonly Reactions[]): void {
    listed.delete(key);
    if (events.length > 0) {
      listed.set(
        key,
        events.map(({ sender }) => sender),
      );
    }
    const [oldest] = listed.keys();
    if (listed.size > MAX_MESSAGES && oldest !== undefined) listed.delete(oldest);
  }

  return {
    /** Remembers the senders of reactions that were converted with their message. */
    noted(events: readonly InboundEvent[]): void {
      const byMessage = Map.groupBy(
        events.filter((event) => event.kind === 'reactions'),
        ({ chat, message }) => `${chat} ${message}`,
      );
      for (const [key, list] of byMessage) remember(key, list);
    },
    /** The reactions of a message as they are now. */
    changed(
      { peer, msgId, reactions }: Pick<tl.RawUpdateMessageReactions, 'peer' | 'msgId' | 'reactions'>,
      translation: Translation,
      now: number,
    ): InboundEvent[] {
      const chat = idOf(peer);
      const message = String(msgId);
      const key = `${chat} ${message}`;
      const present = reactionEvents(peer, msgId, reactions, translation) as Reactions[];
      const former = [...(listed.get(key) ?? []), ...bothOf(peer, translation)];
      const isPresent = ({ id }: { id: string }) => present.some(({ sender }) => sender.id === id);
      const gone = isWholeList(reactions) ? former.filter((sender) => !isPresent(sender)) : [];
      remember(key, present);
      return [
        ...present,
        ...gone.map((sender) => ({ kind: 'reactions', chat, message, sender, signs: [], at: now }) as const),
      ];
    },
  };
}

/** In a direct chat only two can have reacted. */
function bothOf(peer: tl.TypePeer, { self, peers }: Translation) {
  if (peer._ !== 'peerUser') return [];
  return [senderOf(peer, peers), senderOf({ _: 'peerUser', userId: Number(self) }, peers)];
}
