import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Host, Position, Rejected } from '../../connectors/connector.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ChatStore, MessageStore, SourceRepository } from '../ports.ts';
import type { SourceState } from '../sources.ts';
import { clampTimestamps } from '../timestamps.ts';
import type { SourceDefinition } from './definition.ts';
import { createIntake, type Intake } from './intake.ts';
import { createReconnectDelays } from './reconnect-delays.ts';
import { createTimelines, type Timelines } from './timelines.ts';

/** The secrets store, where each source has its own group. */
export interface SourceSecrets {
  get(source: string, name: string): Promise<string | undefined>;
  set(source: string, name: string, value: string): Promise<void>;
  delete(source: string, name: string): Promise<void>;
}

export interface EngineParts {
  messages: MessageStore;
  chats: ChatStore;
  sourceRepository: Pick<SourceRepository, 'find' | 'recall' | 'remember'>;
  secrets: SourceSecrets;
  clock: Clock;
  log: Log;
  random?: () => number;
  /** A source is connected: queued messages can be sent. */
  onConnected?(source: string): void;
  /**
   * Delays: the first one after a lost connection, and those after pages that could not be fetched (first retries,
   * later retries).
   */
  firstRetryMs?: number;
  retryMs?: readonly number[];
  laterMs?: readonly number[];
  /** How long signing off may take. */
  signOffMs?: number;
}

/** Key of the time when a source was last connected. */
export const SEEN_AT = 'engine.seen_at';
const SIGN_OFF_MS = 5_000;
const DAY_MS = 86_400_000;
const LOST = 'The connection was lost.';
const UNREACHED = 'Its network cannot be reached at the moment.';
/** More are only in the log. */
const MAX_PROBLEMS = 5;
const OVER = 'this connection is over';
const UNBOUNDED = { days: 36_500, messages: Number.MAX_SAFE_INTEGER };

interface Link {
  connection: Connection;
  timelines: Timelines;
}

/** The connection ended and will be opened again. */
interface Lost {
  kind: 'lost';
  cause: unknown;
}

/** One connection attempt, from opening to its end. */
interface Attempt {
  link: Partial<Link>;
  isOver: boolean;
  intake: Intake;
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
  /** Whether the current attempt reached the network. */
  let wasReached = false;
  let wake = new AbortController();
  const budget = definition.history ?? UNBOUNDED;

  function become(next: SourceState, why?: string): void {
    state = next;
    problem = why;
    for (const tell of changes) tell();
  }

  async function keepConnected(): Promise<void> {
    const delays = createReconnectDelays(
      parts.random ?? Math.random,
      parts.firstRetryMs === undefined ? {} : { firstMs: parts.firstRetryMs },
    );
    while (!stopping.signal.aborted) {
      const startedAt = parts.clock.now();
      become('connecting', problem);
      wasReached = false;
      const end = await runOnce();
      if (stopping.signal.aborted) break;
      const isRejected = end.kind === 'rejected';
      const wait = delays.next(parts.clock.now() - startedAt, isRejected);
      become(isRejected ? 'rejected' : 'waiting', isRejected ? end.reason : problemOf(end.cause, wasReached));
      const fields = { err: end.cause, wait_ms: wait };
      if (isRejected) log.warn({ ...fields, reason: end.reason }, 'the network rejected this source');
      else log.warn(fields, 'not connected');
      wake = new AbortController();
      await sleep(wait, undefined, { signal: AbortSignal.any([stopping.signal, wake.signal]) }).catch(() => {});
    }
    become('stopped');
  }

  /** Runs one connection from opening to its end. */
  async function runOnce(): Promise<Rejected | Lost> {
    const over = new AbortController();
    const signal = AbortSignal.any([stopping.signal, over.signal]);
    const link: Attempt['link'] = {};
    // Events that could not be stored are fetched again by the next connection.
    const fail = (error: unknown) => over.abort(error);
    const intake = createIntake({
      store: (events, position) => store(link, events, position),
      onHold: (isHeld) => link.connection?.hold?.(isHeld),
      onFailure: fail,
    });
    const attempt: Attempt = { link, isOver: false, intake };
    try {
      if (!definition.open) throw new Error('a source without a connection cannot be run');
      const missed = await missedSoFar();
      link.connection = await inTime(definition.open(hostOf(attempt)), signal);
      if (signal.aborted) return lost(signal.reason);
      latest = link.connection;
      opened.resolve();
      const needs = { ...parts, ...missed, source: id, log, budget, onStoreFailure: fail };
      link.timelines = createTimelines(needs, link.connection, signal);
      const rejected = await inTime(link.connection.run(signal), signal);
      return rejected ?? lost(over.signal.reason ?? new Error('the connection ended by itself'));
    } catch (error) {
      return lost(over.signal.reason ?? error);
    } finally {
      opened.resolve();
      const wasConnected = running !== undefined;
      running = undefined;
      attempt.isOver = true;
      over.abort();
      await Promise.allSettled([intake.close(new Error(OVER)), link.timelines?.settled()]);
      if (wasConnected) await seen();
    }
  }

  /**
   * Work that does not end in time after the abort is abandoned, so that neither the next connection nor the process
   * waits for it.
   */
  async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    const { promise: left, reject } = Promise.withResolvers<never>();
    let patience: NodeJS.Timeout | undefined;
    const hurry = () => {
      patience = setTimeout(() => reject(new Error('it did not end in time')), parts.signOffMs ?? SIGN_OFF_MS);
    };
    if (signal.aborted) hurry();
    else signal.addEventListener('abort', hurry, { once: true });
    try {
      return await Promise.race([work, left]);
    } finally {
      clearTimeout(patience);
      signal.removeEventListener('abort', hurry);
    }
  }

  function hostOf(attempt: Attempt): Host {
    const { link } = attempt;
    return {
      source: id,
      clock: parts.clock,
      log,
      ...keptFor(id, parts, () => mustGoOn(attempt)),
      accept: attempt.intake.accept,
      find: async (messages) => (messages.length === 0 ? [] : parts.sourceRepository.find(id, messages)),
      async acceptHistory(events) {
        mustGoOn(attempt);
        const now = parts.clock.now();
        const wanted = since(now - budget.days * DAY_MS, events);
        await parts.messages.record({ source: id, events: clampTimestamps(wanted, now), origin: 'import' });
      },
      connected(list = []) {
        const { connection, timelines } = link;
        if (stopping.signal.aborted || attempt.isOver || !connection || !timelines) return;
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

  async function store(
    { timelines }: Attempt['link'],
    events: readonly InboundEvent[],
    position: Position | undefined,
  ): Promise<void> {
    const timeline = position && timelines?.advanced(position);
    const sound = clampTimestamps(events, parts.clock.now());
    await parts.messages.record({ source: id, events: sound, origin: 'live', ...(timeline ? { timeline } : {}) });
  }

  /** Messages from this time on may have been missed: nothing newer was stored when the source was last connected. */
  async function missedSoFar(): Promise<{ missedSince?: number }> {
    const seenAt = await parts.sourceRepository.recall(id, SEEN_AT);
    if (seenAt === undefined) return {};
    const { newest = Number(seenAt) } = await parts.messages.extent(id);
    return { missedSince: newest };
  }

  async function seen(): Promise<void> {
    try {
      await parts.sourceRepository.remember(id, SEEN_AT, String(parts.clock.now()));
    } catch (err) {
      log.warn({ err }, 'the time of the last connection could not be stored');
    }
  }

  /** Resolves when the current attempt has succeeded or failed, or after the timeout. */
  async function attempted(ms: number): Promise<void> {
    if (state !== 'connecting') return;
    const { promise, resolve } = Promise.withResolvers<void>();
    changes.add(resolve);
    const patience = setTimeout(resolve, ms);
    await promise;
    clearTimeout(patience);
    changes.delete(resolve);
  }

  const over = keepConnected();
  return {
    state: () => state,
    /** Why it is not connected, or what does not work although it is. */
    problem: () => problem ?? (running?.connection.problems?.().slice(0, MAX_PROBLEMS).join(' ') || undefined),
    /** The connection, while the network is connected. */
    connection: () => running?.connection,
    /** Also while disconnected: whether a text is an address does not depend on the connection. */
    async addressOf(text: string): Promise<string | undefined> {
      await opened.promise;
      return latest?.addressOf?.(text);
    },
    attempted,
    fetching(): { done: number; total?: number } | undefined {
      const done = running?.timelines.fetched();
      return done === undefined ? running?.connection.progress?.() : { done };
    },
    /** Resolves when all requested history is stored. */
    historySettled: async () => void (await running?.timelines.settled()),
    onChange(tell: () => void): () => void {
      changes.add(tell);
      return () => void changes.delete(tell);
    },
    /** Retries immediately. */
    retry: () => wake.abort(),
    /** Retries immediately and waits for the result, up to a timeout. */
    async tryNow(ms: number): Promise<void> {
      wake.abort();
      await nextTurn();
      await attempted(ms);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await over;
    },
  };
}

/** Values of a source that persist across restarts. `check` throws if they may not change any more. */
export function keptFor(
  id: string,
  { sourceRepository, secrets }: Pick<EngineParts, 'sourceRepository' | 'secrets'>,
  check: () => void = () => {},
): Pick<Host, 'memory' | 'secrets'> {
  return {
    memory: {
      get: (key) => sourceRepository.recall(id, key),
      async set(key, value) {
        check();
        await sourceRepository.remember(id, key, value);
      },
    },
    secrets: {
      get: (name) => secrets.get(id, name),
      async set(name, value) {
        check();
        await secrets.set(id, name, value);
      },
      async delete(name) {
        check();
        await secrets.delete(id, name);
      },
    },
  };
}

/** A failure with a text of our own says more: a full disk, a server that does not answer. */
function problemOf(cause: unknown, wasReached: boolean): string {
  if (cause instanceof AppError) return cause.message;
  return wasReached ? LOST : UNREACHED;
}

/** Without messages that are older, and what is about them. */
function since(oldest: number, events: readonly InboundEvent[]): InboundEvent[] {
  const dropped = new Set<string>();
  return events.filter((event) => {
    if (event.kind === 'chat') return true;
    if (event.kind !== 'message') return !dropped.has(`${event.chat} ${event.message}`);
    const { chat, id, at } = event.message;
    if (at < oldest) dropped.add(`${chat.id} ${id}`);
    return at >= oldest;
  });
}

function lost(cause: unknown): Lost {
  return { kind: 'lost', cause };
}

/** An abandoned connection may still call its host; its source may have been removed or have another connection. */
function mustGoOn({ isOver }: Attempt): void {
  if (isOver) throw new Error(OVER);
}

export type LiveSource = ReturnType<typeof startLiveSource>;
