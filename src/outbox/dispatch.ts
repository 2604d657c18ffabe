import type { EventLog } from '../domain/event-log.ts';
import type { Attempt, OutboxItem } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import { type AttemptOutcome, type AttemptParts, attemptToSend, commandFor } from './attempt.ts';
import type { OutboxStore } from './ports.ts';
import { createScheduledTask, type ScheduledTask } from './scheduled-task.ts';
import { createVerifier, type VerifierParts } from './verify-uncertain.ts';

export interface DispatchParts extends AttemptParts, Pick<VerifierParts, 'graceMs' | 'intervalMs'> {
  outbox: OutboxStore;
  events: Pick<EventLog, 'listen'>;
  clock: Clock;
  /** How long one attempt may take. */
  timeoutMs?: number;
}

export interface Dispatch {
  start(): void;
  /** Retries what waits for this source or account. */
  retryNow(through: string): Promise<void>;
  stop(): Promise<void>;
}

interface RunningAttempt {
  item: OutboxItem;
  done: Promise<void>;
}

interface DispatchState {
  parts: DispatchParts;
  /** Sources and accounts with an attempt that has not timed out. */
  busy: Set<string>;
  /** The last attempt at each item that a sender is working on, also after its timeout. */
  running: Map<string, RunningAttempt>;
  task: ScheduledTask;
}

const TIMEOUT_MS = 60_000;
/** How long after its timeout the outcome of an attempt is still recorded. */
const LATE_MS = 10 * 60_000;
const TIMED_OUT: Attempt = { kind: 'unknown', reason: 'The network did not say in time whether it has it.' };
/** How long a running attempt is waited for when the program ends. */
const STOP_MS = 3_000;
const STORE_RETRY_MS = 5_000;

/**
 * Hands queued items to their senders: one at a time through each source or account, in the order of each lane. What surely was
 * not sent is retried later; what may have been sent is uncertain until it is verified.
 */
export function createDispatch(parts: DispatchParts): Dispatch {
  const { outbox, events, clock, log } = parts;
  const task = createScheduledTask(
    clock,
    () => takeDue(state),
    (err) => {
      log.warn({ err }, 'the outbox could not be read');
      task.runAt(clock.now() + STORE_RETRY_MS);
    },
  );
  const state: DispatchState = { parts, busy: new Set(), running: new Map(), task };
  const verifier = createVerifier({ ...parts, isBeingSent: (id) => state.running.has(id) });
  let stopListening = () => {};

  return {
    start() {
      stopListening = events.listen((stored) => {
        const types = new Set(stored.map(({ type }) => type));
        if (types.has('outbox.added') || types.has('outbox.requeued')) task.runNow();
        if (types.has('outbox.uncertain')) verifier.runAfterGrace();
      });
      task.start();
      verifier.start();
    },
    async retryNow(through) {
      await outbox.makeDue(through);
      task.runNow();
      verifier.runNow();
    },
    async stop() {
      stopListening();
      await Promise.all([task.stop(), verifier.stop()]);
      await Promise.race([Promise.all([...state.running.values()].map(({ done }) => done)), after(STOP_MS, undefined)]);
    },
  };
}

async function takeDue(state: DispatchState): Promise<void> {
  const { parts, busy, running, task } = state;
  const kinds = [...parts.senders.keys()];
  while (task.isStarted()) {
    const item = await parts.outbox.take(kinds, [...busy]);
    if (!item) break;
    busy.add(item.through);
    const done = send(state, item).finally(() => {
      if (isLastAttempt(state, item)) running.delete(item.id);
      task.runNow();
    });
    running.set(item.id, { item, done });
  }
  const due = await parts.outbox.nextDue(kinds, [...busy]);
  if (due !== undefined) task.runAt(due);
}

async function send(state: DispatchState, item: OutboxItem): Promise<void> {
  const { parts, busy, task } = state;
  const sending = attemptToSend(parts, item);
  const attempt = await Promise.race([sending, after(parts.timeoutMs ?? TIMEOUT_MS, TIMED_OUT)]);
  // Recorded before the next one is leased: an item that is retried keeps its position in the lane.
  await record(state, item, attempt);
  busy.delete(item.through);
  if (attempt !== TIMED_OUT) return;
  task.runNow();
  await record(state, item, await Promise.race([sending, after(LATE_MS, TIMED_OUT)]));
}

/** Stores the outcome, however often the store fails. */
async function record(state: DispatchState, item: OutboxItem, attempt: AttemptOutcome): Promise<void> {
  const { outbox, clock, log } = state.parts;
  for (;;) {
    try {
      const current = (await outbox.find(item.id))?.state;
      if (current !== 'sending' && (current !== 'uncertain' || attempt.kind === 'unknown')) return;
      // "Sent" is true whichever attempt it was; a failure says nothing about a later attempt.
      if (attempt.kind !== 'sent' && !isLastAttempt(state, item)) return;
      await outbox.change(item.id, commandFor(item, attempt, clock.now()));
      return;
    } catch (err) {
      log.warn({ err, outbox: item.id }, 'the outcome of an attempt could not be stored');
      if (!state.task.isStarted()) return;
      await after(STORE_RETRY_MS, undefined);
    }
  }
}

/** Whether no later attempt at this item has begun: a person may retry it while an attempt is still running. */
function isLastAttempt({ running }: DispatchState, item: OutboxItem): boolean {
  return running.get(item.id)?.item === item;
}

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, value).unref();
  });
}
