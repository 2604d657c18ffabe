import { hash } from 'node:crypto';

/** At least so many are remembered, to count what was said twice: far more than anybody says in a minute. */
const REMEMBERED = 50_000;

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
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  return ({ chat, time, sender, text }) => {
    const id = digest([chat, time, sender, text]);
    const nth = (recent.get(id) ?? older.get(id) ?? 0) + 1;
    if (recent.size >= REMEMBERED) [older, recent] = [recent, new Map()];
    recent.set(id, nth);
    return nth === 1 ? id : `${id}.${nth}`;
  };
}

function digest(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
