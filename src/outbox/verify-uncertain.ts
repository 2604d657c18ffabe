import type { OutboxItem } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PolicyCheck } from './policy-check.ts';
import type { OutboxStore } from './ports.ts';
import { createScheduledTask, type ScheduledTask } from './scheduled-task.ts';
import type { Senders } from './senders.ts';

export interface VerifierParts {
  outbox: Pick<OutboxStore, 'list' | 'change'>;
  senders: Senders;
  checkPolicy: PolicyCheck;
  clock: Clock;
  log: Log;
  /** Whether an attempt to send this item is still running. */
  isBeingSent(id: string): boolean;
  /** How long a message may be in transit on the network before its sender searches for it. */
  graceMs?: number;
  /** How often its sender searches again. */
  intervalMs?: number;
}

export interface Verifier extends ScheduledTask {
  /** Runs once an item that has just become uncertain has had time to arrive. */
  runAfterGrace(): void;
}

const GRACE_MS = 10_000;
const INTERVAL_MS = 60_000;
const MAX_ITEMS = 1_000;

/**
 * Looks whether uncertain items have arrived: an item that has is sent, one that has not is queued again. Where that cannot be
 * determined, it remains uncertain until a person decides.
 */
export function createVerifier(parts: VerifierParts): Verifier {
  const { outbox, clock, log, isBeingSent, graceMs = GRACE_MS, intervalMs = INTERVAL_MS } = parts;
  const task = createScheduledTask(clock, verifyAll, (err) => {
    log.warn({ err }, 'uncertain items of the outbox could not be verified');
    task.runAt(clock.now() + intervalMs);
  });

  async function verifyAll(): Promise<void> {
    const uncertain = await outbox.list({ states: ['uncertain'], limit: MAX_ITEMS });
    const isRecent = ({ changedAt }: OutboxItem) => clock.now() - changedAt < graceMs;
    // Oldest first, so that items that are sent again keep their order.
    for (const item of uncertain.toReversed()) {
      if (!task.isStarted()) return;
      if (!isRecent(item) && !isBeingSent(item.id)) await verify(parts, item);
    }
    task.runAt(clock.now() + (uncertain.some(isRecent) ? graceMs : intervalMs));
  }

  return { ...task, runAfterGrace: () => task.runAt(clock.now() + graceMs) };
}

/** A failure concerns this item alone: it is verified again later. */
async function verify({ outbox, senders, checkPolicy, clock, log }: VerifierParts, item: OutboxItem): Promise<void> {
  try {
    // Some networks can only be queried by sending the message once more.
    const { kind } = await checkPolicy(item);
    if (kind === 'deny' || (kind === 'hold' && item.approvedBy === undefined)) return;
    const arrival = (await senders.get(item.sender)?.look(item)) ?? { kind: 'unknown' };
    if (arrival.kind === 'unknown') return;
    if (arrival.kind === 'sent') await outbox.change(item.id, arrival);
    else await outbox.change(item.id, { kind: 'fail', reason: 'It had not arrived.', retryAt: clock.now() });
    log.info({ outbox: item.id, arrival: arrival.kind }, 'an uncertain item was verified');
  } catch (err) {
    log.warn({ err, outbox: item.id }, 'an uncertain item could not be verified');
  }
}
