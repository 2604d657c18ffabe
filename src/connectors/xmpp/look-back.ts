import type { ArchivedMessage, MessageArchive } from './archive.ts';
import type { OwnAddress } from './chat-address.ts';
import { type ParsedStanza, readMessage, referenceOf } from './convert.ts';
import type { References } from './references.ts';
import { unlessRefused } from './stream.ts';

/** People refer to what was said lately; further back it is not looked for. */
const PAGES = 5;
const PAGE = 100;

interface Parts {
  archive: Pick<MessageArchive, 'page'>;
  references: References;
  ownAddress: OwnAddress;
  /** Whether messages of this chat are kept, and by whom: the account's server, or the room. */
  archiveOf(chat: string): { room?: string } | undefined;
}

/**
 * Finds what messages refer to. What was not seen since the connection began is looked for in the archive, from the
 * message backwards.
 */
export function createLookBack({ archive, references, ownAddress, archiveOf }: Parts) {
  /**
   * The messages in the order in which they were said. A chat is looked through once for all that share `seen`: whatever
   * was said in it since is known, and who refers to nothing shall not keep us busy.
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
