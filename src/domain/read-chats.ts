import type { Recipient } from './policy.ts';

/** A chat in which a session has read what other users wrote. */
export interface ReadChat {
  readonly source: string;
  /** The network's id of the chat. */
  readonly chat: string;
  readonly name: string;
  /** When it was first read since the session's last approval. */
  readonly at: number;
}

/** A session that has read more chats is recorded with this entry instead of a list: it answers none of them. */
export const MANY_CHATS = { source: '*', chat: '*', name: '' } as const;

/** How many chats of a session are listed. */
export const MAX_READ_CHATS = 50;

const MAX_DESCRIBED = 3;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Other users choose the names of chats: only one that cannot be read as a sentence appears in our text. */
const PLAIN = /^[\p{L}\p{N}_#&+@.!:-]{1,40}$/u;

/**
 * The read chats because of which a message is not an answer. A message answers where its recipient is the only chat that was
 * read: with text of a second chat in the session, either text may have asked for it. `answers` is the chat that it answers
 * where its recipients are not chats but take part in one, as those of an email.
 */
export function readElsewhere(
  reads: readonly ReadChat[],
  { through, recipients, answers }: { through: string; recipients: readonly Recipient[]; answers?: string | undefined },
): readonly ReadChat[] {
  const isAnswered = ({ source, chat }: ReadChat) =>
    source === through && recipients.length > 0 && (answers === chat || recipients.every(({ id }) => id === chat));
  return reads.filter((read) => !isAnswered(read));
}

/** `read #ops of libera at 10:02 UTC`, for each chat. */
export function describeReads(reads: readonly ReadChat[], now?: number): string {
  const shown = reads.slice(0, MAX_DESCRIBED).map((read) => describeRead(read, now));
  const more = reads.length - shown.length;
  return [...shown, ...(more > 0 ? [`read ${more} more chat${more === 1 ? '' : 's'}`] : [])].join(', ');
}

function describeRead({ source, chat, name, at }: ReadChat, now = at): string {
  const iso = new Date(at).toISOString();
  const day = now - at < DAY_MS ? '' : ` on ${iso.slice(0, 10)}`;
  const label = [name, chat].find((text) => PLAIN.test(text)) ?? 'a chat';
  const what = source === MANY_CHATS.source ? `more than ${MAX_READ_CHATS} chats` : `${label} of ${source}`;
  return `read ${what} at ${iso.slice(11, 16)} UTC${day}`;
}
