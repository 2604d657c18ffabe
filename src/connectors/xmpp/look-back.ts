import type { Archive, Kept } from './archive.ts';
import { type Copy, readMessage, referenceOf, type Said } from './convert.ts';
import type { Standpoint } from './place.ts';
import type { References } from './references.ts';

/** People refer to what was said lately; further back it is not looked for. */
const PAGES = 5;
const PAGE = 100;

interface Parts {
  archive: Archive;
  references: References;
  standpoint: Standpoint;
  /** Whether messages of this chat are kept, and by whom: the account's server, or the room. */
  archiveOf(chat: string): { room?: string } | undefined;
}

/**
 * Finds what messages refer to. What was not seen since the connection began is looked for in the archive, from the
 * message backwards.
 */
export function createLookBack({ archive, references, standpoint, archiveOf }: Parts) {
  /** What is not there is not looked for again. */
  const missing = new Set<string>();

  /** The messages in the order in which they were said. */
  async function resolve(said: readonly Said[]): Promise<void> {
    for (const each of said) {
      if (!isKnown(each)) await lookFor(each);
      references.note(each);
    }
  }

  function isKnown(said: Said): boolean {
    const reference = referenceOf(said);
    return !reference || references.find(said.chat.id, reference) !== undefined || missing.has(keyOf(said));
  }

  async function lookFor(said: Said): Promise<void> {
    const place = archiveOf(said.chat.id);
    if (!place) return;
    let before = said.archiveId ?? '';
    for (let read = 0; read < PAGES && !isKnown(said); read++) {
      const peer = place.room === undefined ? { with: said.chat.id } : {};
      const page = await archive.page({ ...place, ...peer, before, limit: PAGE });
      note(page.kept);
      if (page.end || page.oldest === undefined || page.oldest === before) break;
      before = page.oldest;
    }
    if (!isKnown(said)) missing.add(keyOf(said));
  }

  function note(kept: readonly Kept[]): void {
    for (const { message, id, at } of kept) {
      const copy: Copy = { message, archiveId: id, at };
      const said = readMessage(copy, standpoint);
      if (said) references.note(said);
    }
  }

  return { resolve, note };
}

function keyOf(said: Said): string {
  return JSON.stringify([said.chat.id, referenceOf(said)]);
}

export type LookBack = ReturnType<typeof createLookBack>;
