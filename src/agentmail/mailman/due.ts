import type { Letter } from '../letter.ts';
import type { Presence } from '../mailbox/recipients-file.ts';

/** Minimum time between two notices to an agent. */
const BETWEEN_NOTICES_MS = 60_000;
/** Minimum time before an agent that ignored a notice is reminded. */
const BETWEEN_REMINDERS_MS = 10 * 60_000;

export interface Waiting {
  presence: Presence;
  unread: readonly Letter[];
  /** When the agent was notified of a letter. */
  announcedAt(letter: Letter): number | undefined;
}

/** Milliseconds until an agent is due for a notice: 0 for now; undefined where there is nothing to announce. */
export function dueIn({ presence, unread, announcedAt }: Waiting, now: number): number | undefined {
  if (presence.status !== 'ready' || unread.length === 0) return undefined;
  const times = unread.map((letter) => announcedAt(letter) ?? beforeNotice(letter, presence));
  const toldAt = Math.max(presence.notifiedAt ?? 0, ...times.map((time) => time ?? 0));
  const hasNews = times.includes(undefined);
  // An agent that reads one letter per notice is notified of the next one as if it were new.
  const hasReadSince = presence.lastReadAt !== undefined && presence.lastReadAt > toldAt;
  const pause = hasNews || hasReadSince ? BETWEEN_NOTICES_MS : BETWEEN_REMINDERS_MS;
  return toldAt === 0 ? 0 : Math.max(0, toldAt + pause - now);
}

/** A letter without stored state counts as announced if it is older than the last notice. */
function beforeNotice({ createdAt = '' }: Letter, { notifiedAt }: Presence): number | undefined {
  const writtenAt = Date.parse(createdAt) || 0;
  return notifiedAt !== undefined && writtenAt <= notifiedAt ? notifiedAt : undefined;
}
