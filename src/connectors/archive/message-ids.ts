import { createDigestMap, digestOf } from './digest-map.ts';
import { createRecent } from './recent.ts';

/** Number of recent messages to remember for counting duplicates. */
const REMEMBERED = 100_000;

interface IdParts {
  chat: string;
  /** The time as written in the export, so that another time zone does not change the id. */
  time: string;
  sender: string;
  text: string;
}

/**
 * Ids for exports without ids, computed from the content of a message and its index among identical ones. Repeated
 * and later exports of the same chat give the same ids.
 */
export function createMessageIds(): (parts: IdParts) => string {
  const counts = createRecent<number>(REMEMBERED, createDigestMap);
  return ({ chat, time, sender, text }) => {
    const id = digestOf(JSON.stringify([chat, time, sender, text]));
    const nth = (counts.get(id) ?? 0) + 1;
    counts.set(id, nth);
    return nth === 1 ? id : `${id}.${nth}`;
  };
}
