import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, type Host, Rejected } from '../../connectors/connector.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { notFromTheFuture } from '../moments.ts';
import type { ChatStore, MessageStore, SourceBook } from '../ports.ts';
import type { SourceState } from '../sources.ts';
import { createBackOff } from './back-off.ts';
import type { SourceDefinition } from './definition.ts';
import { createTimelines, type Timelines } from './timelines.ts';

export interface EngineParts {
  messages: MessageStore;
  chats: ChatStore;
  book: Pick<SourceBook, 'recall' | 'remember'>;
  clock: Clock;
  log: Log;
  random?: () => number;
  /** A source is reached: what waits for it can leave. */
  onConnected?(source: string): void;
  /** The first wait after a lost connection, and the waits after pages that could not be fetched. */
  firstRetryMs?: number;
  retryMs?: readonly number[];
}

/** What the engine itself remembers of a source: when it was last connected. */
export const SEEN_AT = 'engine.seen_at';
/** How long signing off may take. */
const SIGN_OFF_MS = 5_000;
const LOST = 'The connection was lost.';
const UNREACHED = 'Its network cannot be reached at the moment.';
const UNBOUNDED = { days: 36_500, messages: Number.MAX_SAFE_INTEGER };

interface Link {
  connection: Connection;
  timelines: Timelines;
}

/** Keeps one source connected until it is stopped. */
export function startLiveSource(definition: SourceDefinition, parts: EngineParts) {
  const { id } = definition;
  const log = parts.log.child({ component: 'chat', source: id });
  const stopping = new AbortController();
  const changes = new Set<() => void>();
  let state: SourceState = 'connecting';
  let problem: string | undefined;
  let running: Link | undefined;
  let latest: Connection | undefined;
  const opened = Promise.withResolvers<void>();
  /** Whether this attempt got as far as that. */
  let wasReached = false;
  let wake = new AbortController();
  const budget = definition.history ?? UNBOUNDED;

  function become(next: SourceState, why?: string): void {
    state = next;
    problem = why;
    for (const tell of changes) tell();
  }

  async function keepConnected(): Promise<void> {
    const backOff = createBackOff(
      parts.random ?? Math.random,
      parts.firstRetryMs === undefined ? {} : { firstMs: parts.firstRetryMs },
    );
    while (!stopping.signal.aborted) {
      const startedAt = parts.clock.now();
      become('connecting', problem);
      wasReached = false;
      const failure = await runOnce();
      if (stopping.signal.aborted) break;
      const rejected = failure instanceof Rejected;
      const wait = backOff.next(parts.clock.now() - startedAt, rejected);
      become(rejected ? 'rejected' : 'waiting', rejected ? failure.message : wasReached ? LOST : UNREACHED);
      log.warn({ err: failure, wait_ms: wait }, rejected ? 'the network refuses this source' : 'not connected');
      wake = new AbortController();
      await sleep(wait, undefined, { signal: AbortSignal.any([stopping.signal, wake.signal]) }).catch(() => {});
    }
    become('stopped');
  }

  /** One connection from its beginning to its end; gives what ended it. */
  async function runOnce(): Promise<unknown> {
    const over = new AbortController();
    const signal = AbortSignal.any([stopping.signal, over.signal]);
    const link: Partial<Link> = {};
    try {
      if (!definition.open) throw new Error('a source without a connection cannot be run');
      const missed = await missedSoFar();
      link.connection = await definition.open(hostOf(link));
      latest = link.connection;
      opened.resolve();
      link.timelines = createTimelines({ ...parts, ...missed, source: id, log, budget }, link.connection, signal);
      await link.connection.run(stopping.signal);
      return new Error('the connection ended by itself');
    } catch (error) {
      return error;
    } finally {
      opened.resolve();
      const wasConnected = running !== undefined;
      running = undefined;
      over.abort();
      await link.timelines?.settled();
      if (wasConnected) await seen();
    }
  }

  function hostOf(link: Partial<Link>): Host {
    return {
      source: id,
      clock: parts.clock,
      log,
      memory: {
        get: (key) => parts.book.recall(id, key),
        set: (key, value) => parts.book.remember(id, key, value),
      },
      async accept(events, position) {
        const timeline = position && link.timelines?.advanced(position.timeline, position.cursor);
        const sound = notFromTheFuture(events, parts.clock.now());
        await parts.messages.record({ source: id, events: sound, origin: 'live', ...(timeline ? { timeline } : {}) });
      },
      connected(list = []) {
        const { connection, timelines } = link;
        if (stopping.signal.aborted || !connection || !timelines) return;
        if (!running) {
          running = { connection, timelines };
          wasReached = true;
          become('connected');
          log.info({}, 'connected');
          parts.onConnected?.(id);
          void seen();
        }
        timelines.follow(list);
      },
    };
  }

  /** Since when there may be news of which nobody was told: nothing newer than this was heard when it was last connected. */
  async function missedSoFar(): Promise<{ missedSince?: number }> {
    const seenAt = await parts.book.recall(id, SEEN_AT);
    if (seenAt === undefined) return {};
    const { newest = Number(seenAt) } = await parts.messages.extent(id);
    return { missedSince: newest };
  }

  async function seen(): Promise<void> {
    try {
      await parts.book.remember(id, SEEN_AT, String(parts.clock.now()));
    } catch (err) {
      log.warn({ err }, 'when this source was last connected could not be noted');
    }
  }

  const over = keepConnected();
  return {
    state: () => state,
    problem: () => problem,
    /** The connection, while the network is reached. */
    connection: () => running?.connection,
    /** Also while the network is not reached: what looks like an address there does so always. */
    async addressOf(text: string): Promise<string | undefined> {
      await opened.promise;
      return latest?.addressOf?.(text);
    },
    /** Resolves when it is known whether the network can be reached, or the time is over. */
    async attempted(ms: number): Promise<void> {
      if (state !== 'connecting') return;
      const { promise, resolve } = Promise.withResolvers<void>();
      changes.add(resolve);
      const patience = setTimeout(resolve, ms);
      await promise;
      clearTimeout(patience);
      changes.delete(resolve);
    },
    fetched: () => running?.timelines.fetched(),
    /** Resolves when all history that was asked for is there. */
    historySettled: async () => void (await running?.timelines.settled()),
    onChange(tell: () => void): () => void {
      changes.add(tell);
      return () => void changes.delete(tell);
    },
    /** Tries again now. */
    retry: () => wake.abort(),
    async stop(): Promise<void> {
      stopping.abort();
      // Whoever does not sign off in time is left: the process must be able to end.
      await Promise.race([over, sleep(SIGN_OFF_MS, undefined, { ref: false })]);
    },
  };
}

export type LiveSource = ReturnType<typeof startLiveSource>;
