import type { InboundEvent } from '../../domain/chat.ts';
import { toInbound } from './convert.ts';
import type { Reactions } from './reactions.ts';
import { learnState, type MatrixRoom, type MatrixRooms, memberName } from './rooms.ts';
import type { RoomEvent } from './schema.ts';

/** Converts events of a room in their order. */
export interface Translator {
  /** Live events; they also update the state of the room. */
  live(room: MatrixRoom, events: readonly RoomEvent[]): InboundEvent[];
  /** Past events, with the members at that time: their names are used if no newer ones are known. */
  past(room: string, events: readonly RoomEvent[], members: readonly RoomEvent[]): InboundEvent[];
}

export function createTranslator(me: string, rooms: MatrixRooms, reactions: Reactions): Translator {
  function translate(
    event: RoomEvent,
    room: string,
    displayName: (user: string) => string | undefined,
  ): InboundEvent[] {
    const inbound = toInbound(event, { room, me, displayName, reaction: reactions.find });
    if (inbound === undefined) return [];
    if (inbound.kind === 'reaction' && !inbound.removed) reactions.note(event.event_id, inbound);
    return [inbound];
  }

  return {
    live: (room, events) =>
      events.flatMap((event) => {
        learnState(room, event);
        return translate(event, room.id, (user) => room.names.get(user));
      }),
    past(room, events, members) {
      const then = new Map(members.map(({ state_key: user = '', content }) => [user, memberName(user, content)]));
      return events.flatMap((event) =>
        translate(event, room, (user) => rooms.get(room)?.names.get(user) ?? then.get(user)),
      );
    },
  };
}
