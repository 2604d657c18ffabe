import type { EventLog } from '../domain/event-log.ts';
import type { Attempt, OutboxCommand, OutboxItem, OutboxSender, OutboxStore } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { retryDelay } from './retry-delay.ts';
import { createScheduledTask } from './scheduled-task.ts';
import { createVerifier } from './verify-uncertain.ts';

export interface DispatchParts {
  outbox: OutboxStore;
  events: Pick<EventLog, 'listen'>;
  senders: readonly OutboxSender[];
  clock: Clock;
  log: Log;
  /** How long one attempt may take. */
  limitMs?: number;
  /** How long a message may be under way on the network before somebody looks whether it has arrived. */
  graceMs?: number;
  /** How often that is asked again. */
  lookMs?: number;
}

const LIMIT_MS = 60_000;
/** How much longer an answer counts that did not come in time. */
const LATE_MS = 10 * 60_000;
const NO_ANSWER: Attempt = { kind: 'unknown', reason: 'The network did not say in time whether it has it.' };
/** How long a message that is being sent is waited for at the end. */
const LAST_WORDS_MS = 3_000;
/** When the store fails, it is asked again after this. */
const STORE_RETRY_MS = 5_000;

/**
 * Brings what is in the outbox to those who send it: through each source one at a time, in the order of each lane. What
 * surely did not leave is tried again later; what may have left stays uncertain until somebody has looked.
 */
export function createDispatch(parts: DispatchParts): Dispatch {
  const { outbox, events, clock, log, limitMs = LIMIT_MS } = parts;
  const senders = new Map(parts.senders.map((sender) => [sender.kind, sender]));
  const kinds = [...senders.keys()];
  const busy = new Set<string>();
  /** The last attempt at each item that a sender has in hand, also of those whose time is over. */
  const inHand = new Map<string, { item: OutboxItem; work: Promise<void> }>();
  const lookout = createVerifier({ ...parts, senders, isInHand: (id) => inHand.has(id) });
  const round = createScheduledTask(takeWhatIsDue, (err) => {
    log.warn({ err }, 'the outbox could not be read');
    round.at(clock.now() + STORE_RETRY_MS, clock);
  });
  let stopListening = () => {};

  async function takeWhatIsDue(): Promise<void> {
    while (round.isRunning()) {
      const item = await outbox.take(kinds, [...busy]);
      if (!item) break;
      busy.add(item.through);
      const work = send(item).finally(() => {
        if (isLast(item)) inHand.delete(item.id);
        round.now();
      });
      inHand.set(item.id, { item, work });
    }
    const due = await outbox.nextDue(kinds, [...busy]);
    if (due !== undefined) round.at(due, clock);
  }

  async function send(item: OutboxItem): Promise<void> {
    const sending = attempt(item);
    const attempted = await Promise.race([sending, after(limitMs, NO_ANSWER)]);
    // Only then the next one: what has to be tried again goes before it.
    await settle(item, attempted);
    busy.delete(item.through);
    if (attempted !== NO_ANSWER) return;
    round.now();
    await settle(item, await Promise.race([sending, after(LATE_MS, NO_ANSWER)]));
  }

  /** Whether nobody has begun to send it again since. */
  function isLast(item: OutboxItem): boolean {
    return inHand.get(item.id)?.item === item;
  }

  async function attempt(item: OutboxItem): Promise<Attempt> {
    try {
      const sender = senders.get(item.sender);
      if (!sender) throw new Error(`no sender for ${item.sender}`);
      return await sender.send(item);
    } catch (err) {
      log.error({ err, outbox: item.id }, 'something went wrong while this was being sent');
      return { kind: 'unknown', reason: 'Something went wrong inside Switchboard while this was being sent.' };
    }
  }

  /** What was found out is written down, however long the store takes to let us. */
  async function settle(item: OutboxItem, attempted: Attempt): Promise<void> {
    for (;;) {
      try {
        const state = (await outbox.find(item.id))?.state;
        if (state !== 'sending' && (state !== 'uncertain' || attempted.kind === 'unknown')) return;
        // That it has left is so, whichever attempt it was; that one failed says nothing of the next.
        if (attempted.kind !== 'sent' && !isLast(item)) return;
        return void (await outbox.change(item.id, commandFor(item, attempted)));
      } catch (err) {
        log.warn({ err, outbox: item.id }, 'what became of this could not be written down');
        if (!round.isRunning()) return;
        await after(STORE_RETRY_MS, undefined);
      }
    }
  }

  function commandFor({ attempts }: OutboxItem, attempted: Attempt): Exclude<OutboxCommand, { kind: 'take' }> {
    if (attempted.kind === 'sent') return attempted;
    const { reason } = attempted;
    if (attempted.kind === 'unknown') return { kind: 'lose-track', reason };
    const wait = attempted.retry ? retryDelay(attempts) : undefined;
    return { kind: 'fail', reason, ...(wait === undefined ? {} : { retryAt: clock.now() + wait }) };
  }

  return {
    async start() {
      stopListening = events.listen((told) => {
        const types = new Set(told.map(({ type }) => type));
        if (types.has('outbox.added') || types.has('outbox.requeued')) round.now();
        if (types.has('outbox.uncertain')) lookout.later();
      });
      round.start();
      lookout.start();
    },
    async retryNow(through) {
      await outbox.makeDue(through);
      round.now();
      lookout.now();
    },
    async stop() {
      stopListening();
      await Promise.all([round.stop(), lookout.stop()]);
      await Promise.race([Promise.all([...inHand.values()].map(({ work }) => work)), after(LAST_WORDS_MS, undefined)]);
    },
  };
}

export interface Dispatch {
  start(): Promise<void>;
  /** The source is reached: what waits for it leaves now. */
  retryNow(through: string): Promise<void>;
  stop(): Promise<void>;
}

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, value).unref();
  });
}
