import type { OutboxItem, OutboxSender, OutboxStore } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createScheduledTask } from './scheduled-task.ts';

export interface VerifierParts {
  outbox: Pick<OutboxStore, 'list' | 'change'>;
  senders: ReadonlyMap<string, OutboxSender>;
  clock: Clock;
  log: Log;
  isInHand(id: string): boolean;
  graceMs?: number;
  lookMs?: number;
}

const GRACE_MS = 10_000;
const LOOK_MS = 60_000;
const MOST = 1_000;

/**
 * Looks whether uncertain items have arrived: those that have are sent, those that have not are sent again. Where nobody can
 * tell, they stay uncertain, and a person decides.
 */
export function createVerifier({ outbox, senders, clock, log, isInHand, ...times }: VerifierParts) {
  const { graceMs = GRACE_MS, lookMs = LOOK_MS } = times;
  const wakeUp = createScheduledTask(lookForAll, (err) => {
    log.warn({ err }, 'uncertain items of the outbox could not be looked for');
    wakeUp.at(clock.now() + lookMs, clock);
  });

  async function lookForAll(): Promise<void> {
    const uncertain = await outbox.list({ states: ['uncertain'], limit: MOST });
    const isFresh = ({ changedAt }: OutboxItem) => clock.now() - changedAt < graceMs;
    // Oldest first, so that what is sent again keeps its order.
    for (const item of uncertain.toReversed()) {
      if (!wakeUp.isRunning()) return;
      if (!isFresh(item) && !isInHand(item.id)) await lookFor(item);
    }
    wakeUp.at(clock.now() + (uncertain.some(isFresh) ? graceMs : lookMs), clock);
  }

  /** What cannot be looked for now is looked for later; the others need not wait for it. */
  async function lookFor(item: OutboxItem): Promise<void> {
    try {
      const found = await senders.get(item.sender)?.look(item);
      if (found === undefined || found === 'unknown') return;
      if (found !== 'absent') await outbox.change(item.id, found);
      else await outbox.change(item.id, { kind: 'fail', reason: 'It had not arrived.', retryAt: clock.now() });
      log.info({ outbox: item.id, arrived: found !== 'absent' }, 'an uncertain item was looked for');
    } catch (err) {
      log.warn({ err, outbox: item.id }, 'an uncertain item could not be looked for');
    }
  }

  return {
    ...wakeUp,
    /** Something has just become uncertain: it is looked for once it has had time to arrive. */
    later: () => wakeUp.at(clock.now() + graceMs, clock),
  };
}
