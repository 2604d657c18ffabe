import type { InboundEvent } from '../../domain/chat.ts';
import type { HistoryPage, HistoryRequest } from '../connector.ts';
import { cursorLost } from '../outcome-error.ts';
import type { Archive, Page, PageQuery } from './archive.ts';
import { type Copy, readMessage, toEvents } from './convert.ts';
import type { LookBack } from './look-back.ts';
import { fromCursor, inOrder, type Latest, type Place, toCursor } from './moments.ts';
import type { Standpoint } from './place.ts';
import type { References } from './references.ts';
import { StanzaError } from './stream.ts';

/** The timeline of the account's archive, and the prefix of those of rooms. */
export const ACCOUNT = 'account';
export const ROOM = 'room:';

interface Parts {
  archive: Archive;
  standpoint: Standpoint;
  references: References;
  lookBack: LookBack;
  latest: Latest;
  now(): number;
}

export function createHistory({ archive, standpoint, references, lookBack, latest, now }: Parts) {
  return async ({ timeline, direction, from, limit, signal }: HistoryRequest): Promise<HistoryPage> => {
    const room = timeline.startsWith(ROOM) ? timeline.slice(ROOM.length) : undefined;
    const place = from === undefined ? undefined : fromCursor(from);
    const beyond = direction === 'older' ? { before: place?.id ?? '' } : place && { after: place.id };
    const { kept, oldest, newest, end } = await pageFrom(place, { room, ...beyond, limit, signal });
    const stamps = kept.map(({ at }) => (Number.isNaN(at) ? now() : at));
    const moments = inOrder(stamps, direction === 'newer' ? place?.at : undefined);
    const lastAt = moments.at(-1) ?? place?.at ?? 0;
    latest.note(timeline, lastAt);
    const copies = kept.map(({ message, id }, index) => ({ message, archiveId: id, at: moments[index] ?? now() }));
    return {
      kind: 'page',
      events: await eventsOf(copies, room),
      ...(oldest === undefined ? {} : { oldest: toCursor({ id: oldest, at: moments[0] ?? 0 }) }),
      ...(newest === undefined ? {} : { newest: toCursor({ id: newest, at: lastAt }) }),
      end,
    };
  };

  async function pageFrom(place: Place | undefined, query: PageQuery): Promise<Page> {
    try {
      return await archive.page(query);
    } catch (error) {
      const isPlaceUnknown = place && error instanceof StanzaError && error.condition === 'item-not-found';
      if (!isPlaceUnknown) throw error;
      throw cursorLost('the archive no longer has the place to go on from', { cause: error });
    }
  }

  /**
   * Some servers also archive room messages with the account; these are skipped, because the rooms' own archives have
   * them.
   */
  async function eventsOf(copies: readonly Copy[], room: string | undefined): Promise<InboundEvent[]> {
    const said = copies
      .filter(({ message }) => (message.attrs.type === 'groupchat') === (room !== undefined))
      .map((copy) => readMessage(copy, standpoint))
      .filter((each) => each !== undefined);
    await lookBack.resolve(said, new Set());
    return said.flatMap((each) => toEvents(each, (reference) => references.find(each.chat.id, reference)));
  }
}
