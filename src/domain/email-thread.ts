import { createHash } from 'node:crypto';

/** What places an email in a conversation. */
export interface ThreadPosition {
  rfcMessageId?: string;
  inReplyTo?: string;
  /** Oldest first. */
  references: readonly string[];
  /** The same for the same email, for one without a Message-ID. */
  identity: string;
  /** The server's own id of the conversation. */
  threadId?: string;
}

export interface ThreadPlace {
  /** Id of the conversation. */
  chat: string;
  /** A conversation of replies to this email that was known before it; it belongs to this one. */
  joined?: string;
}

/** The ids that decide where an email belongs. */
export function idsOf({ rfcMessageId, inReplyTo, references }: ThreadPosition): string[] {
  return [...new Set([...references, ...(inReplyTo ? [inReplyTo] : []), ...(rfcMessageId ? [rfcMessageId] : [])])];
}

/**
 * The conversation of an email: the server's own, where it tells it; else that of the nearest email it refers to; else the one that
 * began with the first of them; else its own. A reply can arrive before the email it answers, in another conversation, which then
 * joins.
 */
export function placeInThread(position: ThreadPosition, known: ReadonlyMap<string, string>): ThreadPlace {
  const { rfcMessageId, inReplyTo, references, identity, threadId } = position;
  if (threadId !== undefined) return { chat: threadIdOf(`server:${threadId}`) };
  const above = [...references, ...(inReplyTo && inReplyTo !== references.at(-1) ? [inReplyTo] : [])];
  const earlier = above.filter((id) => id !== rfcMessageId);
  const nearest = earlier.toReversed().find((id) => known.has(id));
  const own = rfcMessageId === undefined ? undefined : known.get(rfcMessageId);
  const root = earlier[0];
  const chat =
    (nearest === undefined ? undefined : known.get(nearest)) ??
    (root === undefined ? own : threadIdOf(root)) ??
    threadIdOf(rfcMessageId ?? identity);
  return own !== undefined && own !== chat ? { chat, joined: own } : { chat };
}

/** Short, and free of whatever a sender writes into a Message-ID. */
function threadIdOf(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}
