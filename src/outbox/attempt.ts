import type { Attempt, OutboxCommand, OutboxItem } from '../domain/outbox.ts';
import type { Log } from '../lib/log.ts';
import type { PolicyCheck } from './policy-check.ts';
import { retryDelay } from './retry-delay.ts';
import type { Senders } from './senders.ts';

export interface AttemptParts {
  senders: Senders;
  checkPolicy: PolicyCheck;
  log: Log;
}

/** The outcome of an attempt, or that the item has to be held by now. */
export type AttemptOutcome = Attempt | Extract<OutboxCommand, { kind: 'hold' }>;

/**
 * Hands an item to its sender, unless the policy in force by now denies it, approved or not, or holds it and nobody has
 * approved it.
 */
export async function attemptToSend(
  { senders, checkPolicy, log }: AttemptParts,
  item: OutboxItem,
): Promise<AttemptOutcome> {
  const verdict = await checkPolicy(item).catch((err: unknown) => {
    log.warn({ err, outbox: item.id }, 'the policy could not be read');
    return undefined;
  });
  if (!verdict) return { kind: 'not-sent', reason: 'The policy could not be read.', retry: true };
  if (verdict.kind === 'deny') return { kind: 'not-sent', reason: verdict.reason, retry: false };
  if (verdict.kind === 'hold' && item.approvedBy === undefined) return verdict;
  try {
    const sender = senders.get(item.sender);
    if (!sender) throw new Error(`no sender is registered for ${item.sender}`);
    return await sender.send(item);
  } catch (err) {
    log.error({ err, outbox: item.id }, 'the sender of an item failed');
    return { kind: 'unknown', reason: 'Something went wrong inside Switchboard while this was being sent.' };
  }
}

/** How an attempt changes its item. */
export function commandFor(
  { attempts }: OutboxItem,
  attempt: AttemptOutcome,
  now: number,
): Exclude<OutboxCommand, { kind: 'take' }> {
  if (attempt.kind === 'sent' || attempt.kind === 'hold') return attempt;
  const { reason } = attempt;
  if (attempt.kind === 'unknown') return { kind: 'lose-track', reason };
  const delay = attempt.retry ? retryDelay(attempts) : undefined;
  return { kind: 'fail', reason, ...(delay === undefined ? {} : { retryAt: now + delay }) };
}
