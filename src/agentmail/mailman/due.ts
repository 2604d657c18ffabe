import type { Letter } from '../letter.ts';
import type { Presence } from '../mailbox/recipients-file.ts';

/** However much comes, an agent is told at most so often. */
const BETWEEN_NOTICES_MS = 60_000;
/** An agent that was told and did nothing about it is reminded, but not with every breath. */
const BETWEEN_REMINDERS_MS = 10 * 60_000;

export interface Waiting {
  presence: Presence;
  unread: readonly Letter[];
  /** When the agent was told of a letter. */
  announcedAt(letter: Letter): number | undefined;
}

/** In how many milliseconds an agent is to be told of its mail: 0 for now; undefined where there is nothing to tell. */
export function dueIn({ presence, unread, announcedAt }: Waiting, now: number): number | undefined {
  if (presence.status !== 'ready' || unread.length === 0) return undefined;
  const times = unread.map((letter) => announcedAt(letter) ?? beforeNotice(letter, presence));
  const toldAt = Math.max(presence.notifiedAt ?? 0, ...times.map((time) => time ?? 0));
  const hasNews = times.includes(undefined);
  // Somebody who reads one letter at each notice is told of the next as if it were new.
  const hasReadSince = presence.lastReadAt !== undefined && presence.lastReadAt > toldAt;
  const pause = hasNews || hasReadSince ? BETWEEN_NOTICES_MS : BETWEEN_REMINDERS_MS;
  return toldAt === 0 ? 0 : Math.max(0, toldAt + pause - now);
}

/** A letter of which nothing is known was in the mailbox when the agent was told, if it is older than that. */
function beforeNotice({ createdAt = '' }: Letter, { notifiedAt }: Presence): number | undefined {
  const writtenAt = Date.parse(createdAt) || 0;
  return notifiedAt !== undefined && writtenAt <= notifiedAt ? notifiedAt : undefined;
}
