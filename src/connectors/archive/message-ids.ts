import { hash } from 'node:crypto';
import { createRecent } from './recent.ts';

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
  const counts = createRecent<number>(REMEMBERED);
  return ({ chat, time, sender, text }) => {
    const id = hash('sha256', JSON.stringify([chat, time, sender, text]), 'base64url').slice(0, 22);
    const nth = (counts.get(id) ?? 0) + 1;
    counts.set(id, nth);
    return nth === 1 ? id : `${id}.${nth}`;
  };
}
