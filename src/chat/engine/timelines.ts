import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connection,
  CursorLost,
  type HistoryPage,
  type HistoryRequest,
  type Timeline,
} from '../../connectors/connector.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { notFromTheFuture } from '../moments.ts';
import type { ChatStore, MessageStore, Recorded, TimelineState } from '../ports.ts';

export interface TimelineParts {
  source: string;
  messages: Pick<MessageStore, 'record' | 'timelines' | 'extent'>;
  chats: Pick<ChatStore, 'resolve'>;
  clock: Clock;
  log: Log;
  budget: { days: number; messages: number };
  /** What was said from this moment on was missed, whichever way it is found; nothing was before the first time. */
  missedSince?: number;
  /** Waits after a page that could not be fetched. */
  retryMs?: readonly number[];
}

const PAGE = 200;
const RETRY_MS = [2_000, 10_000, 60_000];
const DAY = 24 * 60 * 60 * 1000;

/**
 * What a connected source knows of its timelines: first what was missed while it was away, then what is older, a page at a
 * time, one timeline after the other. What happens live moves a timeline's end only once nothing is missing before it.
 */
export function createTimelines(parts: TimelineParts, connection: Connection, signal: AbortSignal) {
  const caughtUp = new Map<string, TimelineState>();
  const wanted = new Set<string>();
  let fetched: number | undefined;
  let news: Promise<unknown> = Promise.resolve();
  let past: Promise<unknown> = Promise.resolve();
  let asking: Promise<unknown> = Promise.resolve();

  function follow(timelines: readonly Timeline[]): void {
    const fresh = timelines.filter(({ id }) => !wanted.has(id));
    for (const { id } of fresh) wanted.add(id);
    if (!connection.history || fresh.length === 0) return;
    // News first: what was missed matters more than what is old, also of a timeline that came later.
    const caught = news.then(async () => {
      const states: (TimelineState | undefined)[] = [];
      for (const timeline of fresh) states.push(await guarded(timeline, () => catchUp(timeline)));
      return states;
    });
    news = caught;
    past = Promise.all([caught, past]).then(async ([states]) => {
      for (const [index, timeline] of fresh.entries()) {
        const state = states[index];
        if (state) await guarded(timeline, () => goBack(state));
      }
      fetched = undefined;
    });
  }

  async function guarded<T>(timeline: Timeline, job: () => Promise<T>): Promise<T | undefined> {
    try {
      if (!signal.aborted) return await job();
    } catch (err) {
      if (!signal.aborted) parts.log.warn({ err, timeline: timeline.id }, 'history could not be fetched');
    }
    return undefined;
  }

  async function catchUp(timeline: Timeline): Promise<TimelineState> {
    const known = (await parts.messages.timelines(parts.source)).find(({ id }) => id === timeline.id);
    const state = known?.newest === undefined ? await begin(timeline, known) : await goForward(known);
    caughtUp.set(timeline.id, state);
    return state;
  }

  async function begin({ id, chat }: Timeline, known: TimelineState | undefined): Promise<TimelineState> {
    const page = await fetchPage({ timeline: id, direction: 'older' });
    const state: TimelineState = {
      ...(known ?? { id, complete: false }),
      ...(chat === undefined ? {} : { chat }),
      ...(page.newest === undefined ? {} : { newest: page.newest }),
      ...(page.oldest === undefined ? {} : { oldest: page.oldest }),
      complete: page.end,
    };
    await record(page.events, 'older', state);
    return state;
  }

  async function goForward(known: TimelineState): Promise<TimelineState> {
    let state = known;
    try {
      for (let end = false; !end; ) {
        const from = state.newest;
        if (from === undefined) break;
        const page = await fetchPage({ timeline: state.id, direction: 'newer', from });
        if (page.newest !== undefined) state = { ...state, newest: page.newest };
        await record(page.events, 'newer', state);
        // A network that gives the same place again would keep us here for ever.
        end = page.end || state.newest === from;
      }
      return state;
    } catch (error) {
      if (!(error instanceof CursorLost)) throw error;
      return closeGap(known);
    }
  }

  /** The network forgot where we were: backwards from its newest message, until there is nothing that is new to us. */
  async function closeGap(known: TimelineState): Promise<TimelineState> {
    let newest: string | undefined;
    let from: string | undefined;
    for (;;) {
      const page = await fetchPage({
        timeline: known.id,
        direction: 'older',
        ...(from === undefined ? {} : { from }),
      });
      newest ??= page.newest;
      const { added } = await record(page.events, 'older');
      if (page.end || added === 0 || page.oldest === undefined || page.oldest === from || isTooOld(page)) break;
      from = page.oldest;
    }
    const { newest: _, ...rest } = known;
    const state: TimelineState = newest === undefined ? rest : { ...rest, newest };
    await record([], 'newer', state);
    return state;
  }

  async function goBack(begun: TimelineState): Promise<void> {
    let state = begun;
    let left = parts.budget.messages - (await countOf(state));
    while (!state.complete && state.oldest !== undefined && left > 0 && !signal.aborted) {
      const page = await fetchPage({ timeline: state.id, direction: 'older', from: state.oldest });
      const stuck = page.oldest === undefined || page.oldest === state.oldest;
      state = {
        ...state,
        ...newestOf(caughtUp.get(state.id)),
        ...(page.oldest === undefined ? {} : { oldest: page.oldest }),
        complete: page.end || stuck,
      };
      const { added } = await record(page.events, 'older', state);
      const latest = { ...state, ...newestOf(caughtUp.get(state.id)) };
      caughtUp.set(state.id, latest);
      // What happened while the page was stored was saved with how far back was known before it.
      if (latest.newest !== state.newest) await record([], 'older', latest);
      fetched = (fetched ?? 0) + added;
      left -= page.events.length;
      if (isTooOld(page)) return;
    }
  }

  /** The newest message of the page is older than what is wanted. */
  function isTooOld({ events }: HistoryPage): boolean {
    const limit = parts.clock.now() - parts.budget.days * DAY;
    const newest = events.findLast((event) => event.kind === 'message');
    return newest?.kind === 'message' && newest.message.at < limit;
  }

  async function countOf({ chat }: TimelineState): Promise<number> {
    if (chat === undefined) return (await parts.messages.extent(parts.source)).count;
    const [stored] = await parts.chats.resolve([parts.source], chat);
    return stored?.id === chat ? (await parts.messages.extent(parts.source, stored.key)).count : 0;
  }

  async function fetchPage(request: Omit<HistoryRequest, 'limit' | 'signal'>): Promise<HistoryPage> {
    const retryMs = parts.retryMs ?? RETRY_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        return await askInTurn(request);
      } catch (error) {
        const wait = retryMs[attempt];
        if (signal.aborted || error instanceof CursorLost || wait === undefined) throw error;
        parts.log.info({ err: error, timeline: request.timeline }, 'a page of history is asked for again later');
        await sleep(wait, undefined, { signal });
      }
    }
  }

  /** One question at a time: networks answer them in order, and many count them. */
  function askInTurn(request: Omit<HistoryRequest, 'limit' | 'signal'>): Promise<HistoryPage> {
    const asked = asking.then(async () => {
      signal.throwIfAborted();
      return (await connection.history?.({ ...request, limit: PAGE, signal })) ?? { events: [], end: true };
    });
    asking = asked.catch(() => {});
    return asked;
  }

  function record(
    events: readonly InboundEvent[],
    origin: 'newer' | 'older',
    timeline?: TimelineState,
  ): Promise<Recorded> {
    const sound = notFromTheFuture(events, parts.clock.now());
    // What comes after the place we had is missed for sure; elsewhere the moments tell.
    const missedSince = origin === 'newer' ? 0 : parts.missedSince;
    return parts.messages.record({
      source: parts.source,
      events: sound,
      origin,
      ...(timeline ? { timeline } : {}),
      ...(missedSince === undefined ? {} : { missedSince }),
    });
  }

  return {
    follow,
    /** The state to save with what has just happened there; none while something before it may still be missing. */
    advanced(id: string, cursor: string): TimelineState | undefined {
      const state = caughtUp.get(id);
      if (!state) return undefined;
      const next = { ...state, newest: cursor };
      caughtUp.set(id, next);
      return next;
    },
    /** How many older messages have come so far, while they come. */
    fetched: () => fetched,
    /** Resolves when all that was asked for is there. */
    settled: () => Promise.all([news, past]),
  };
}

function newestOf(state: TimelineState | undefined): { newest?: string } {
  return state?.newest === undefined ? {} : { newest: state.newest };
}

export type Timelines = ReturnType<typeof createTimelines>;
