import type { HistoryPage, HistoryRequest } from '../connector.ts';
import { cursorLost } from '../outcome-error.ts';
import { HomeserverError, type MatrixClient } from './client.ts';
import { type Messages, readEvents, readMessages } from './schema.ts';
import type { Translator } from './translate.ts';

/** A homeserver may give pages on which there is nothing to be seen; after so many the rest is left for another time. */
const MAX_EMPTY_PAGES = 20;

const FILTER = JSON.stringify({ lazy_load_members: true });

interface Parts {
  ask: MatrixClient;
  token: string;
  translator: Translator;
  /** Where live events begin: newer ones come that way and are not asked for here, so that they count as live. */
  present: string;
}

/** A page of what was said in a room. */
export async function historyPage(parts: Parts, request: HistoryRequest): Promise<HistoryPage> {
  const isOlder = request.direction === 'older';
  const { from, answer } = await firstWithEvents(parts, request);
  const { start = from, end, chunk = [], state } = answer;
  const [oldest, newest] = isOlder ? [end ?? start, start] : [start, end ?? start];
  return {
    kind: 'page',
    events: parts.translator.past(
      request.timeline,
      readEvents(isOlder ? chunk.toReversed() : chunk),
      readEvents(state),
    ),
    ...(oldest === undefined ? {} : { oldest }),
    ...(newest === undefined ? {} : { newest }),
    end: end === undefined || end === from,
  };
}

async function firstWithEvents(
  { ask, token, present }: Parts,
  { timeline: room, direction, limit, signal, ...request }: HistoryRequest,
): Promise<{ from: string | undefined; answer: Messages }> {
  const way = direction === 'older' ? { dir: 'b' } : { dir: 'f', to: present };
  let from = request.from ?? (direction === 'older' ? present : undefined);
  for (let pages = 1; ; pages += 1) {
    const query = { ...way, from, limit, filter: FILTER };
    const answer = await ask({ path: ['rooms', room, 'messages'], query, token, signal })
      .then(readMessages)
      .catch(explain);
    const isOver = answer.end === undefined || answer.end === from;
    if (answer.chunk?.length || isOver || pages >= MAX_EMPTY_PAGES) return { from, answer };
    from = answer.end;
  }
}

/** A room that the user is not in any more shows nothing. */
function explain(error: unknown): Messages {
  if (!(error instanceof HomeserverError)) throw error;
  if (error.status === 400) throw cursorLost('The homeserver does not know this place.', { cause: error });
  if (error.status === 403 || error.status === 404) return {};
  throw error;
}
