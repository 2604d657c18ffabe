import type { InboundEvent } from '../../domain/chat.ts';
import type { HistoryPage, HistoryRequest } from '../connector.ts';
import { cursorLost } from '../outcome-error.ts';
import type { ArchivePage, MessageArchive, PageQuery } from './archive.ts';
import type { OwnAddress } from './chat-address.ts';
import { type MessageCopy, readMessage, toEvents } from './convert.ts';
import type { LookBack } from './look-back.ts';
import type { References } from './references.ts';
import { StanzaError } from './stream.ts';
import { type ArchivePosition, fromCursor, inOrder, type LatestTimestamps, toCursor } from './timestamps.ts';

/** The timeline of the account's archive, and the prefix of those of rooms. */
export const ACCOUNT = 'account';
export const ROOM = 'room:';

interface Parts {
  archive: MessageArchive;
  ownAddress: OwnAddress;
  references: References;
  lookBack: LookBack;
  latest: LatestTimestamps;
  now(): number;
}

export function createHistory({ archive, ownAddress, references, lookBack, latest, now }: Parts) {
  return async ({ timeline, direction, from, limit, signal }: HistoryRequest): Promise<HistoryPage> => {
    const room = timeline.startsWith(ROOM) ? timeline.slice(ROOM.length) : undefined;
    const place = from === undefined ? undefined : fromCursor(from);
    const beyond = direction === 'older' ? { before: place?.id ?? '' } : place && { after: place.id };
    const { kept, oldest, newest, end } = await pageFrom(place, { room, ...beyond, limit, signal });
    const stamps = kept.map(({ at }) => (Number.isNaN(at) ? now() : at));
    const timestamps = inOrder(stamps, direction === 'newer' ? place?.at : undefined);
    const lastAt = timestamps.at(-1) ?? place?.at ?? 0;
    latest.note(timeline, lastAt);
    const copies = kept.map(({ message, id }, index) => ({ message, archiveId: id, at: timestamps[index] ?? now() }));
    return {
      kind: 'page',
      events: await eventsOf(copies, room),
      ...(oldest === undefined ? {} : { oldest: toCursor({ id: oldest, at: timestamps[0] ?? 0 }) }),
      ...(newest === undefined ? {} : { newest: toCursor({ id: newest, at: lastAt }) }),
      end,
    };
  };

  async function pageFrom(place: ArchivePosition | undefined, query: PageQuery): Promise<ArchivePage> {
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
  async function eventsOf(copies: readonly MessageCopy[], room: string | undefined): Promise<InboundEvent[]> {
    const said = copies
      .filter(({ message }) => (message.attrs.type === 'groupchat') === (room !== undefined))
      .map((copy) => readMessage(copy, ownAddress))
      .filter((each) => each !== undefined);
    await lookBack.resolve(said, 'history');
    return said.flatMap((each) => toEvents(each, (reference) => references.find(each.chat.id, reference)));
  }
}
