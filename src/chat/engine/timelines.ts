import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Position, Timeline } from '../../connectors/connector.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type {
  Batch,
  ChatStore,
  MessageStore,
  Recorded,
  SourceRepository,
  StoredChat,
  TimelineChange,
  TimelineState,
} from '../ports.ts';
import { clampTimestamps } from '../timestamps.ts';
import { createHistoryReader } from './history-reader.ts';
import {
  catchUpRequest,
  catchUpWith,
  goBackRequest,
  goBackWith,
  startCatchUp,
  startGap,
  startGoBack,
  type WalkTerms,
} from './timeline-walk.ts';

export interface TimelineParts {
  source: string;
  messages: Pick<MessageStore, 'record' | 'timelines' | 'extent' | 'find'>;
  chats: Pick<ChatStore, 'resolve'>;
  sourceRepository: Pick<SourceRepository, 'recall' | 'remember'>;
  clock: Clock;
  log: Log;
  budget: { days: number; messages: number };
  /** Messages from this time on were missed, in both directions of reading; undefined before the first connection. */
  missedSince?: number;
  /** Delays after a page that could not be fetched, and after reading a timeline was suspended. */
  retryMs?: readonly number[];
  laterMs?: readonly number[];
  /** The store failed: missing messages are fetched by the next connection. */
  onStoreFailure?(error: unknown): void;
}

/** A connection may be open for weeks, so failed requests are retried while it is open. */
const LATER_MS = [5 * 60_000, 15 * 60_000, 60 * 60_000];
/** Some networks have timestamps in whole seconds only, and clocks differ. */
const LEEWAY_MS = 60_000;

/**
 * Reads the timelines of a connected source: first messages missed while disconnected, then older ones, a page at a
 * time, one timeline after the other. Live events move the end of a timeline only once nothing is missing before it.
 * timeline-walk.ts decides which page is read next.
 */
export function createTimelines(parts: TimelineParts, connection: Connection, signal: AbortSignal) {
  const connectedAt = parts.clock.now();
  const readPage = createHistoryReader({ connection, signal, log: parts.log, retryMs: parts.retryMs });
  const caughtUp = new Set<string>();
  const wanted = new Set<string>();
  const failures = new Map<string, number>();
  let fetched: number | undefined;
  let catchingUp: Promise<unknown> = Promise.resolve();
  let goingBack: Promise<unknown> = Promise.resolve();

  function follow(timelines: readonly Timeline[]): void {
    const added = timelines.filter(({ id }) => !wanted.has(id));
    for (const { id } of added) wanted.add(id);
    if (!connection.history || added.length === 0) return;
    // Missed messages have priority over older ones, also in a timeline that was added later.
    const states = catchingUp.then(async () => {
      const list: (TimelineState | undefined)[] = [];
      for (const timeline of added) list.push(await orLater(timeline, () => catchUp(timeline)));
      return list;
    });
    catchingUp = states;
    goingBack = Promise.all([states, goingBack]).then(async ([list]) => {
      for (const [index, timeline] of added.entries()) {
        const state = list[index];
        if (state) await orLater(timeline, () => goBack(state));
      }
      fetched = undefined;
    });
  }

  /** A timeline that fails is read again later; the others continue. */
  async function orLater<T>(timeline: Timeline, job: () => Promise<T>): Promise<T | undefined> {
    try {
      if (!signal.aborted) return await job();
    } catch (err) {
      if (!signal.aborted) retryLater(timeline, err);
    }
    return undefined;
  }

  function retryLater(timeline: Timeline, err: unknown): void {
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
    const { id } = timeline;
    const known = (await parts.messages.timelines(parts.source)).find((state) => state.id === id);
    let walk = startCatchUp(timeline, known);
    while (walk.phase !== 'done') {
      const page = await readPage({ timeline: id, ...catchUpRequest(walk, terms()) });
      const result = catchUpWith(walk, page, terms());
      if (result.kind === 'lost') {
        walk = startGap(result.known, await lastKnown(result.known));
        continue;
      }
      for (const batch of result.store) await record(batch);
      if (walk.phase === 'gap' && result.next.phase === 'done') await rememberGap(id, '');
      walk = result.next;
    }
    caughtUp.add(id);
    return walk.state;
  }

  async function goBack(state: TimelineState): Promise<void> {
    let walk = startGoBack(state, parts.budget.messages - (await countOf(state)));
    while (!walk.isOver && !signal.aborted) {
      const page = await readPage({ timeline: state.id, ...goBackRequest(walk) });
      if (page.kind === 'cursor-lost') {
        // A retry would not help: the network no longer accepts the cursor of the oldest message.
        parts.log.warn({ err: page.cause, timeline: state.id }, 'older history is no longer available');
        return;
      }
      const { store, next } = goBackWith(walk, page, terms());
      const { added } = store ? await record(store) : { added: 0 };
      walk = next(added);
      if (store) fetched = (fetched ?? 0) + added;
    }
  }

  function terms(): WalkTerms {
    const { budget, missedSince, clock } = parts;
    return { budget, now: clock.now(), ...(missedSince === undefined ? {} : { missedSince }) };
  }

  /**
   * The time up to which no message is missing, apart from older history. It is stored until the gap after it is closed:
   * messages fetched or received in between do not prove that nothing is missing before them.
   */
  async function lastKnown(timeline: TimelineState): Promise<number> {
    const remembered = await parts.sourceRepository.recall(parts.source, gapKey(timeline.id));
    if (remembered) return Number(remembered);
    const before = connectedAt - LEEWAY_MS;
    const chat = await chatOf(timeline);
    const where = chat ? { chats: [chat.key] } : { sources: [parts.source] };
    const { messages } = await parts.messages.find({ ...where, before }, { limit: 1 });
    const time = messages[0]?.at ?? before;
    await rememberGap(timeline.id, String(time));
    return time;
  }

  async function rememberGap(timeline: string, time: string): Promise<void> {
    await parts.sourceRepository.remember(parts.source, gapKey(timeline), time);
  }

  /** The number of stored messages of a timeline. That of an account has all but those of chats with their own. */
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

  async function record({ events, origin, timeline }: Omit<Batch, 'source' | 'missedSince'>): Promise<Recorded> {
    // Messages after the last stored cursor were certainly missed; otherwise the timestamps decide.
    const missedSince = origin === 'newer' ? 0 : parts.missedSince;
    try {
      return await parts.messages.record({
        source: parts.source,
        events: clampTimestamps(events, parts.clock.now()),
        origin,
        ...(timeline ? { timeline } : {}),
        ...(missedSince === undefined ? {} : { missedSince }),
      });
    } catch (error) {
      // A full disk is temporary, and this page would not be requested again; any other error would occur again.
      if (error instanceof AppError) parts.onStoreFailure?.(error);
      throw error;
    }
  }

  return {
    follow,
    /** The timeline state to store with a live event at this position; undefined while earlier messages may be missing. */
    advanced: ({ timeline, cursor }: Position): TimelineChange | undefined =>
      caughtUp.has(timeline) ? { id: timeline, newest: cursor } : undefined,
    /** How many older messages were fetched so far, while they are fetched. */
    fetched: () => fetched,
    /** Resolves when everything that was requested is stored. */
    settled: () => Promise.all([catchingUp, goingBack]),
  };
}

/** Key of the time up to which no message is missing, while the gap after it is not closed. */
function gapKey(timeline: string): string {
  return `engine.gap ${timeline}`;
}

export type Timelines = ReturnType<typeof createTimelines>;
