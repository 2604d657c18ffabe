import type { EventLog } from '../domain/event-log.ts';
import type { Attempt, OutboxItem } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import { type AttemptOutcome, type AttemptParts, attemptToSend, commandFor } from './attempt.ts';
import type { OutboxStore, SendingSlot } from './ports.ts';
import { createScheduledTask, type ScheduledTask } from './scheduled-task.ts';
import { createVerifier, type VerifierParts } from './verify-uncertain.ts';

export interface DispatchParts extends AttemptParts, Pick<VerifierParts, 'graceMs' | 'intervalMs'> {
  outbox: OutboxStore;
  events: Pick<EventLog, 'listen'>;
  clock: Clock;
  /** How long one attempt may take. */
  timeoutMs?: number;
  /** How long an attempt may keep the slot of its source, so that other chats wait. */
  slotMs?: number;
}

export interface Dispatch {
  start(): void;
  /** Retries what waits for this source or account. */
  retryNow(through: string): Promise<void>;
  stop(): Promise<void>;
}

interface RunningAttempt {
  item: OutboxItem;
  /** `slow`: other chats are not delayed by it any more. */
  phase: 'holds-slot' | 'slow' | 'timed-out';
  done: Promise<void>;
}

interface DispatchState {
  parts: DispatchParts;
  /** The last attempt at each item that a sender is working on, also after its timeout. */
  running: Map<string, RunningAttempt>;
  task: ScheduledTask;
}

const TIMEOUT_MS = 60_000;
const SLOT_MS = 1_000;
/** Attempts in one slot that have not timed out. */
const MAX_ATTEMPTS_IN_SLOT = 8;
/** How long after its timeout the outcome of an attempt is still recorded. */
const LATE_MS = 10 * 60_000;
const TIMED_OUT: Attempt = { kind: 'unknown', reason: 'The network did not say in time whether it has it.' };
/** How long a running attempt is waited for when the program ends. */
const STOP_MS = 3_000;
const STORE_RETRY_MS = 5_000;

/**
 * Hands queued items to their senders, in the order of each lane, one at a time in each slot. Every source or account has two
 * slots, so that lanes that fail do not delay the others: one for first attempts and one for retries. An attempt that is slow
 * gives its slot to other lanes, where the sender can send concurrently. What surely was not sent is retried later; what may
 * have been sent is uncertain until it is verified.
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
  const state: DispatchState = { parts, running: new Map(), task };
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
  const { parts, running, task } = state;
  const kinds = [...parts.senders.keys()];
  while (task.isStarted()) {
    const item = await parts.outbox.take(kinds, busySlots(state));
    if (!item) break;
    const attempt: RunningAttempt = { item, phase: 'holds-slot', done: Promise.resolve() };
    running.set(item.id, attempt);
    attempt.done = send(state, attempt).finally(() => {
      if (isLastAttempt(state, item)) running.delete(item.id);
      task.runNow();
    });
  }
  const due = await parts.outbox.nextDue(kinds, busySlots(state));
  if (due !== undefined) task.runAt(due);
}

function busySlots({ running }: DispatchState): SendingSlot[] {
  const counted = [...running.values()].filter(({ phase }) => phase !== 'timed-out');
  const bySlot = Map.groupBy(counted, ({ item }) => `${item.attempts > 1} ${item.through}`);
  return [...bySlot.values()]
    .filter((slot) => slot.length >= MAX_ATTEMPTS_IN_SLOT || slot.some(({ phase }) => phase === 'holds-slot'))
    .flatMap(([first]) => (first ? [{ through: first.item.through, isRetry: first.item.attempts > 1 }] : []));
}

async function send(state: DispatchState, attempt: RunningAttempt): Promise<void> {
  const { parts, task } = state;
  const { item } = attempt;
  const sending = attemptToSend(parts, item);
  const ended = Promise.race([sending, after(parts.timeoutMs ?? TIMEOUT_MS, TIMED_OUT)]);
  if (parts.senders.get(item.sender)?.sendsConcurrently) {
    await Promise.race([ended, after(parts.slotMs ?? SLOT_MS, undefined)]);
    attempt.phase = 'slow';
    task.runNow();
  }
  const outcome = await ended;
  // Recorded before the next one of its lane is leased: an item that is retried keeps its position in the lane.
  await record(state, item, outcome);
  attempt.phase = 'timed-out';
  if (outcome !== TIMED_OUT) return;
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
