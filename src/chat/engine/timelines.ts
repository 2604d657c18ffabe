import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Connection,
  CursorLost,
  HistoryPage,
  HistoryRequest,
  Position,
  Timeline,
} from '../../connectors/connector.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type {
  ChatStore,
  MessageStore,
  Recorded,
  SourceRepository,
  StoredChat,
  TimelineChange,
  TimelineState,
} from '../ports.ts';
import { clampTimestamps } from '../timestamps.ts';

export interface TimelineParts {
  source: string;
  messages: Pick<MessageStore, 'record' | 'timelines' | 'extent' | 'find'>;
  chats: Pick<ChatStore, 'resolve'>;
  sourceRepository: Pick<SourceRepository, 'recall' | 'remember'>;
  clock: Clock;
  log: Log;
  budget: { days: number; messages: number };
  /** What was said from this moment on was missed, whichever way it is found; nothing was before the first time. */
  missedSince?: number;
  /** Waits after a page that could not be fetched, and after it was given up for a while. */
  retryMs?: readonly number[];
  laterMs?: readonly number[];
  /** The store is in trouble: what is missing is fetched by the next connection. */
  onStoreFailure?(error: unknown): void;
}

/** Where in a timeline is read on, and which way. */
type Place = Omit<HistoryRequest, 'limit' | 'signal'>;

const PAGE = 100;
const RETRY_MS = [2_000, 10_000, 60_000];
/** A connection may last for weeks: what could not be fetched at its beginning does not wait for its end. */
const LATER_MS = [5 * 60_000, 15 * 60_000, 60 * 60_000];
const NOTHING: HistoryPage = { kind: 'page', events: [], end: true };
const DAY = 24 * 60 * 60 * 1000;
/** Some networks know whole seconds only, and clocks differ. */
const LEEWAY_MS = 60_000;

/**
 * What a connected source knows of its timelines: first what was missed while it was away, then what is older, a page at a
 * time, one timeline after the other. What happens live moves a timeline's end only once nothing is missing before it.
 */
export function createTimelines(parts: TimelineParts, connection: Connection, signal: AbortSignal) {
  const linkedAt = parts.clock.now();
  const caughtUp = new Set<string>();
  const wanted = new Set<string>();
  const failures = new Map<string, number>();
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
      if (!signal.aborted) later(timeline, err);
    }
    return undefined;
  }

  /** The others go on meanwhile. */
  function later(timeline: Timeline, err: unknown): void {
    const count = failures.get(timeline.id) ?? 0;
    const waits = parts.laterMs ?? LATER_MS;
    const wait = waits[Math.min(count, waits.length - 1)];
    failures.set(timeline.id, count + 1);
    parts.log.warn({ err, timeline: timeline.id, wait_ms: wait }, 'history could not be fetched');
    const again = () => {
      wanted.delete(timeline.id);
      follow([timeline]);
    };
    sleep(wait, undefined, { signal, ref: false }).then(again, () => {});
  }

  async function catchUp(timeline: Timeline): Promise<TimelineState> {
    const known = (await parts.messages.timelines(parts.source)).find(({ id }) => id === timeline.id);
    const state = known?.newest === undefined ? await begin(timeline, known) : await goForward(known);
    caughtUp.add(timeline.id);
    return state;
  }

  /** Of a timeline that is new what may be fetched at once, and what was missed in any case. */
  async function begin({ id, chat }: Timeline, known: TimelineState | undefined): Promise<TimelineState> {
    const few = Math.max(1, Math.min(PAGE, parts.budget.messages));
    const page = pageIn(
      await fetchPage({ timeline: id, direction: 'older' }, parts.missedSince === undefined ? few : PAGE),
    );
    const isWanted = page.events.length === 0 || (parts.budget.messages > 0 && !isTooOld(page));
    const state: TimelineState = {
      ...(known ?? { id }),
      ...(chat === undefined ? {} : { chat }),
      ...newestOf(page),
      // Where nothing is wanted now, whoever wants more later begins at the newest.
      ...(isWanted && page.oldest !== undefined ? { oldest: page.oldest } : {}),
      complete: isWanted && page.end,
    };
    await record(isWanted ? page.events : page.events.filter(wasMissed), 'older', state);
    return state;
  }

  function wasMissed(event: InboundEvent): boolean {
    if (parts.missedSince === undefined || event.kind === 'chat') return false;
    return (event.kind === 'message' ? event.message.at : event.at) >= parts.missedSince;
  }

  async function goForward(known: TimelineState): Promise<TimelineState> {
    let state = known;
    for (let end = false; !end; ) {
      const from = state.newest;
      if (from === undefined) break;
      const page = await fetchPage({ timeline: state.id, direction: 'newer', from });
      if (page.kind === 'cursor-lost') return closeGap(known);
      if (page.newest !== undefined) state = { ...state, newest: page.newest };
      await record(page.events, 'newer', { id: state.id, ...newestOf(page) });
      // A network that gives the same place again would keep us here for ever.
      end = page.end || state.newest === from;
    }
    return state;
  }

  /** The network forgot where we were: backwards from its newest message, until everything is known again. */
  async function closeGap(known: TimelineState): Promise<TimelineState> {
    const { id } = known;
    const knownUntil = await lastKnown(known);
    let newest: string | undefined;
    let from: string | undefined;
    for (;;) {
      const page = pageIn(await fetchPage({ timeline: id, direction: 'older', ...fromOf(from) }));
      newest ??= page.newest;
      await record(page.events, 'older');
      if (page.end || page.oldest === undefined || page.oldest === from || reaches(page, knownUntil)) break;
      if (isTooOld(page)) break;
      from = page.oldest;
    }
    await record([], 'newer', { id, ...newestOf({ newest }) });
    await parts.sourceRepository.remember(parts.source, gapKey(id), '');
    return { ...known, ...newestOf({ newest }) };
  }

  /**
   * Up to when everything is known, but for what is older than all. It is remembered until the gap behind it is closed:
   * what has been fetched or said by then is no sign that nothing is missing before it.
   */
  async function lastKnown(timeline: TimelineState): Promise<number> {
    const key = gapKey(timeline.id);
    const remembered = await parts.sourceRepository.recall(parts.source, key);
    if (remembered) return Number(remembered);
    const before = linkedAt - LEEWAY_MS;
    const chat = await chatOf(timeline);
    const where = chat ? { chats: [chat.key] } : { sources: [parts.source] };
    const { messages } = await parts.messages.find({ ...where, before }, { limit: 1 });
    const moment = messages[0]?.at ?? before;
    await parts.sourceRepository.remember(parts.source, key, String(moment));
    return moment;
  }

  async function goBack(begun: TimelineState): Promise<void> {
    const { id } = begun;
    let { oldest, complete } = begun;
    let left = parts.budget.messages - (await countOf(begun));
    let isSparse = false;
    while (!complete && left > 0 && !signal.aborted) {
      const limit = isSparse ? PAGE : Math.min(PAGE, left);
      const page = await fetchPage({ timeline: id, direction: 'older', ...fromOf(oldest) }, limit);
      if (page.kind === 'cursor-lost') {
        // Asking again would not help: the network has forgotten how to get at what is older from here.
        parts.log.warn({ err: page.cause, timeline: id }, 'older history cannot be reached any more');
        return;
      }
      // Not stored, and so not passed: otherwise each connection would go one page further back than is wanted.
      if (isTooOld(page)) return;
      const isStuck = page.oldest === undefined || page.oldest === oldest;
      oldest = page.oldest ?? oldest;
      // A short page may hold nothing but the moment that we have: that there is no more, only a whole one tells.
      complete = page.end || (isStuck && limit === PAGE);
      const { added } = await record(page.events, 'older', {
        id,
        ...(oldest === undefined ? {} : { oldest }),
        complete,
      });
      if (isStuck) return;
      fetched = (fetched ?? 0) + added;
      left -= added;
      isSparse = added === 0;
    }
  }

  /** All messages of the page are older than what is wanted: one with a wrong moment says nothing of the others. */
  function isTooOld({ events }: HistoryPage): boolean {
    const limit = parts.clock.now() - parts.budget.days * DAY;
    const moments = events.flatMap((event) => (event.kind === 'message' ? [event.message.at] : []));
    return moments.length > 0 && moments.every((at) => at < limit);
  }

  /** How many messages of a timeline are there. That of an account has all but those of chats with one of their own. */
  async function countOf(timeline: Pick<TimelineState, 'chat'>): Promise<number> {
    if (timeline.chat !== undefined) {
      const chat = await chatOf(timeline);
      return chat ? (await parts.messages.extent(parts.source, chat.key)).count : 0;
    }
    const others = (await parts.messages.timelines(parts.source)).filter(({ chat }) => chat !== undefined);
    const counts = await Promise.all(others.map(countOf));
    const { count } = await parts.messages.extent(parts.source);
    return counts.reduce((left, other) => left - other, count);
  }

  async function chatOf({ chat }: Pick<TimelineState, 'chat'>): Promise<StoredChat | undefined> {
    if (chat === undefined) return undefined;
    const [stored] = await parts.chats.resolve([parts.source], chat);
    return stored?.id === chat ? stored : undefined;
  }

  async function fetchPage(request: Place, limit = PAGE): Promise<HistoryPage | CursorLost> {
    const retryMs = parts.retryMs ?? RETRY_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        return await askInTurn({ ...request, limit });
      } catch (error) {
        const wait = retryMs[attempt];
        if (signal.aborted || wait === undefined) throw error;
        parts.log.info({ err: error, timeline: request.timeline }, 'a page of history is asked for again later');
        await sleep(wait, undefined, { signal });
      }
    }
  }

  /** One question at a time: networks answer them in order, and many count them. */
  function askInTurn(request: Omit<HistoryRequest, 'signal'>): Promise<HistoryPage | CursorLost> {
    const asked = asking.then(async () => {
      signal.throwIfAborted();
      const answer = connection.history?.({ ...request, signal }) ?? Promise.resolve(NOTHING);
      // A connection that is over need not answer, and the next one must not wait for that.
      return unlessAborted(answer, signal);
    });
    asking = asked.catch(() => {});
    return asked;
  }

  async function record(
    events: readonly InboundEvent[],
    origin: 'newer' | 'older',
    timeline?: TimelineChange,
  ): Promise<Recorded> {
    const sound = clampTimestamps(events, parts.clock.now());
    // What comes after the place we had is missed for sure; elsewhere the moments tell.
    const missedSince = origin === 'newer' ? 0 : parts.missedSince;
    try {
      return await parts.messages.record({
        source: parts.source,
        events: sound,
        origin,
        ...(timeline ? { timeline } : {}),
        ...(missedSince === undefined ? {} : { missedSince }),
      });
    } catch (error) {
      // A full disk passes, and nobody would ask for this page again; anything else is a fault that would come back with it.
      if (error instanceof AppError) parts.onStoreFailure?.(error);
      throw error;
    }
  }

  return {
    follow,
    /** What to save with what has just happened there; nothing while something before it may still be missing. */
    advanced: ({ timeline, cursor }: Position): TimelineChange | undefined =>
      caughtUp.has(timeline) ? { id: timeline, newest: cursor } : undefined,
    /** How many older messages have come so far, while they come. */
    fetched: () => fetched,
    /** Resolves when all that was asked for is there. */
    settled: () => Promise.all([news, past]),
  };
}

/** Where the moment is remembered behind which a gap has not been closed yet. */
function gapKey(timeline: string): string {
  return `engine.gap ${timeline}`;
}

/** From the newest message on, or from a cursor that it just gave, a network has no reason to be lost. */
function pageIn(answer: HistoryPage | CursorLost): HistoryPage {
  if (answer.kind === 'cursor-lost') throw new Error(answer.reason, { cause: answer.cause });
  return answer;
}

function fromOf(from: string | undefined): { from?: string } {
  return from === undefined ? {} : { from };
}

function newestOf({ newest }: { newest?: string | undefined }): { newest?: string } {
  return newest === undefined ? {} : { newest };
}

/** Something in the page was said before that moment. */
function reaches({ events }: HistoryPage, moment: number): boolean {
  return events.some((event) => event.kind === 'message' && event.message.at < moment);
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export type Timelines = ReturnType<typeof createTimelines>;
