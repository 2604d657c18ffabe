import type { HistoryPage, HistoryRequest } from '../connector.ts';
import { type Client, HomeserverError } from './client.ts';
import type { Translation } from './live.ts';
import { type Messages, readEvents, readMessages } from './schema.ts';
import type { Session } from './session.ts';

/** A server may give pages on which there is nothing to be seen; after so many it is left for another time. */
const MOST_EMPTY_PAGES = 20;

const FILTER = JSON.stringify({ lazy_load_members: true });

/**
 * A page of what was said in a room. `present` is where live events begin: what is newer comes that way, and is not asked
 * for here, so that it counts as having just happened.
 */
export async function historyPage(
  ask: Client,
  session: Session,
  { present, translate }: { present: string; translate: Translation },
  { timeline: room, direction, from, limit, signal }: HistoryRequest,
): Promise<HistoryPage> {
  const isOlder = direction === 'older';
  let place = from ?? (isOlder ? present : undefined);
  for (let pages = 1; ; pages += 1) {
    const query = { dir: isOlder ? 'b' : 'f', from: place, to: isOlder ? undefined : present, limit, filter: FILTER };
    const answer = await ask({ path: ['rooms', room, 'messages'], query, token: session.token, signal })
      .then(readMessages)
      .catch(endWhereNothingIsShown);
    const { start = place, end, chunk = [] } = answer;
    const isEnd = end === undefined || end === place;
    if (chunk.length === 0 && !isEnd && pages < MOST_EMPTY_PAGES) {
      place = end;
      continue;
    }
    const events = readEvents(isOlder ? chunk.toReversed() : chunk);
    return {
      events: translate(room, events, readEvents(answer.state)),
      ...cursors(isOlder ? { oldest: end ?? start, newest: start } : { oldest: start, newest: end ?? start }),
      end: isEnd,
    };
  }
}

/** A room that the user is not in any more shows nothing; nor does a place that the homeserver has forgotten. */
function endWhereNothingIsShown(error: unknown): Messages {
  if (error instanceof HomeserverError && [400, 403, 404].includes(error.status)) return {};
  throw error;
}

function cursors({ oldest, newest }: { oldest: string | undefined; newest: string | undefined }) {
  return { ...(oldest === undefined ? {} : { oldest }), ...(newest === undefined ? {} : { newest }) };
}
