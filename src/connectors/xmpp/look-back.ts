import type { ArchivedMessage, MessageArchive } from './archive.ts';
import type { OwnAddress } from './chat-address.ts';
import { type ParsedStanza, readMessage, referenceOf } from './convert.ts';
import type { References } from './references.ts';
import { unlessRefused } from './stream.ts';

/** References are mostly to recent messages; older ones are not searched. */
const PAGES = 5;
const PAGE = 100;

interface Parts {
  archive: Pick<MessageArchive, 'page'>;
  references: References;
  ownAddress: OwnAddress;
  /** Whether the chat has an archive, and whose: the account's or the room's. */
  archiveOf(chat: string): { room?: string } | undefined;
}

/** Resolves references. Messages not seen on this connection are searched in the archive, backwards. */
export function createLookBack({ archive, references, ownAddress, archiveOf }: Parts) {
  /**
   * Messages in order. A chat is searched only once for all callers that share `seen`, so that unresolvable
   * references do not cause repeated searches.
   */
  async function resolve(said: readonly ParsedStanza[], seen: Set<string>): Promise<void> {
    for (const each of said) {
      if (!isKnown(each) && !seen.has(each.chat.id)) {
        seen.add(each.chat.id);
        await unlessRefused(() => lookFor(each));
      }
      references.note(each);
    }
  }

  function isKnown(said: ParsedStanza): boolean {
    const reference = referenceOf(said);
    return !reference || references.find(said.chat.id, reference) !== undefined;
  }

  async function lookFor(said: ParsedStanza): Promise<void> {
    const place = archiveOf(said.chat.id);
    if (!place) return;
    let before = said.archiveId ?? '';
    for (let read = 0; read < PAGES && !isKnown(said); read++) {
      const peer = place.room === undefined ? { with: said.chat.id } : {};
      const page = await archive.page({ ...place, ...peer, before, limit: PAGE });
      note(page.kept);
      if (page.end || page.oldest === undefined || page.oldest === before) return;
      before = page.oldest;
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
