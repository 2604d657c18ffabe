import { createHash } from 'node:crypto';

/** So many are remembered, to count what was said twice: far more than anybody says in a minute. */
const REMEMBERED = 100_000;

interface IdParts {
  chat: string;
  /** As the export writes it, so that another time zone does not make another message of it. */
  time: string;
  sender: string;
  text: string;
}

/**
 * Ids for exports that have none. The same export gives the same ids again, and so does a later one of the same chat:
 * an id is made of what a message is, and which of its equals it is.
 */
export function createMessageIds(): (parts: IdParts) => string {
  const counts = new Map<string, number>();
  return ({ chat, time, sender, text }) => {
    const hash = digest([chat, time, sender, text]);
    const nth = (counts.get(hash) ?? 0) + 1;
    counts.delete(hash);
    counts.set(hash, nth);
    forgetOldest(counts);
    return nth === 1 ? hash : `${hash}.${nth}`;
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

function forgetOldest(counts: Map<string, number>): void {
  if (counts.size <= REMEMBERED) return;
  for (const oldest of counts.keys()) {
    counts.delete(oldest);
    return;
  }
}
