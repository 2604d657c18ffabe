import type { HistoryPage, HistoryRequest } from '../connector.ts';
import { cursorLost } from '../outcome-error.ts';
import { HomeserverError, type MatrixClient } from './client.ts';
import { type Messages, readEvents, readMessages } from './schema.ts';
import type { Translator } from './translate.ts';

/** A homeserver may return pages without visible events; after this many the rest is left for later. */
const MAX_EMPTY_PAGES = 20;

const FILTER = JSON.stringify({ lazy_load_members: true });

interface Parts {
  ask: MatrixClient;
  token: string;
  translator: Translator;
  /** Where live events begin: newer ones arrive by sync and count as live, so they are not requested here. */
  present: string;
}

/** A page of messages of a room. */
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

/** A room that the user has left has no pages. */
function explain(error: unknown): Messages {
  if (!(error instanceof HomeserverError)) throw error;
  if (error.status === 400) throw cursorLost('The homeserver does not know this place.', { cause: error });
  if (error.status === 403 || error.status === 404) return {};
  throw error;
}
