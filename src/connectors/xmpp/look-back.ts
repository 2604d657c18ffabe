import type { ArchivedMessage, MessageArchive, PageQuery } from './archive.ts';
import type { OwnAddress } from './chat-address.ts';
import { type ParsedStanza, readMessage, referenceOf } from './convert.ts';
import type { References } from './references.ts';
import { unlessRefused } from './stream.ts';

const PAGE = 100;
/** Pages before a live message: while what was missed is being fetched, the messages just before it are not known yet. */
const NEARBY_PAGES = 5;
/** Pages before everything that was read of a chat on this connection, for all its references together. */
const MAX_PAGES = 40;

/** How far back a chat was read on this connection, without a gap. */
interface Extent {
  /** The archive's id and the timestamp of the oldest message. */
  oldest: { id: string; at: number };
  isAll: boolean;
  pages: number;
}

interface Parts {
  archive: Pick<MessageArchive, 'page'>;
  references: References;
  ownAddress: OwnAddress;
  /** Whether the chat has an archive, and whose: the account's or the room's. */
  archiveOf(chat: string): { room?: string } | undefined;
}

/**
 * Resolves references. A message that was not seen on this connection is older than all that were, however many of
 * others came since: it is searched in the archive from there on, backwards.
 */
export function createLookBack({ archive, references, ownAddress, archiveOf }: Parts) {
  const extents = new Map<string, Extent>();
  const searched = new Set<string>();

  /** Messages in order: live ones, or a page of history. */
  async function resolve(said: readonly ParsedStanza[], origin: 'live' | 'history'): Promise<void> {
    for (const each of said) {
      extend(each);
      if (!isKnown(each)) await unlessRefused(() => lookFor(each, origin));
      references.note(each);
    }
  }

  function extend({ chat, archiveId, at }: ParsedStanza): void {
    if (archiveId === undefined) return;
    const extent = extents.get(chat.id);
    if (!extent) extents.set(chat.id, { oldest: { id: archiveId, at }, isAll: false, pages: 0 });
    else if (at < extent.oldest.at) extent.oldest = { id: archiveId, at };
  }

  function isKnown(said: ParsedStanza): boolean {
    const reference = referenceOf(said);
    return !reference || references.find(said.chat.id, reference) !== undefined;
  }

  async function lookFor(said: ParsedStanza, origin: 'live' | 'history'): Promise<void> {
    const { chat, archiveId: id = '', at } = said;
    const place = archiveOf(chat.id);
    if (!place) return;
    const query = { ...place, ...(place.room === undefined ? { with: chat.id } : {}), limit: PAGE };
    const extent = extents.get(chat.id) ?? { oldest: { id, at }, isAll: false, pages: 0 };
    extents.set(chat.id, extent);
    // Once for each chat, so that references that cannot be resolved do not cause repeated searches.
    if (origin === 'live' && extent.oldest.id !== id && !searched.has(chat.id)) {
      searched.add(chat.id);
      await readBefore({ oldest: { id, at }, isAll: false, pages: MAX_PAGES - NEARBY_PAGES }, said, query);
    }
    await readBefore(extent, said, query);
  }

  async function readBefore(extent: Extent, said: ParsedStanza, query: Omit<PageQuery, 'before'>): Promise<void> {
    while (!isKnown(said) && !extent.isAll && extent.pages < MAX_PAGES) {
      const { id: before, at } = extent.oldest;
      extent.pages += 1;
      const page = await archive.page({ ...query, before });
      note(page.kept);
      extent.isAll = page.end || page.oldest === undefined || page.oldest === before;
      const first = page.kept[0]?.at ?? at;
      extent.oldest = { id: page.oldest ?? before, at: Number.isNaN(first) ? at : Math.min(first, at) };
    }
  }

  function note(kept: readonly ArchivedMessage[]): void {
    for (const { message, id, at } of kept) {
      const said = readMessage({ message, archiveId: id, at }, ownAddress);
      if (said) references.note(said);
    }
  }

  return { resolve, note };
}

export type LookBack = ReturnType<typeof createLookBack>;
