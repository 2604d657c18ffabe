import { backoffDelay } from '../../lib/backoff.ts';
import type { UnwokenReason } from '../delivery/unwoken-reason.ts';
import type { Woken } from './wake.ts';

/** An agent that has mail and could not be notified. */
export interface HeldAgent {
  /** Undefined while its listener has the mail. */
  reason?: UnwokenReason;
  /** Timestamp of the first attempt with this outcome. */
  since: number;
  /** Number of attempts with this outcome. */
  attempts: number;
  /** What was typed was not accepted: on this screen, after so many failures, and not to be repeated before this time. */
  failure?: { screen: string; count: number; notBefore: number };
}

const RETRY = { firstMs: 1_000, longestMs: 10_000 };
/** After a failure, even if the screen has changed. */
const RETRY_TYPING = { firstMs: 60_000, longestMs: 10 * 60_000 };

type Attempt = Extract<Woken, { kind: 'listens' | 'not-notified' }>;

/** An earlier failure counts until the agent is notified. */
export function heldAfter(before: HeldAgent | undefined, woken: Attempt, now: number): HeldAgent {
  const reason = woken.kind === 'listens' ? undefined : woken.reason;
  const isSame = before !== undefined && before.reason === reason;
  const failure = failureAfter(before?.failure, woken, now);
  return {
    since: isSame ? before.since : now,
    attempts: isSame ? before.attempts + 1 : 1,
    ...(reason === undefined ? {} : { reason }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function failureAfter(before: HeldAgent['failure'], woken: Attempt, now: number): HeldAgent['failure'] {
  if (woken.kind !== 'not-notified' || woken.failedOn === undefined) return before;
  const count = (before?.count ?? 0) + 1;
  return { screen: woken.failedOn, count, notBefore: now + backoffDelay(count, RETRY_TYPING) };
}

/** Milliseconds in which no attempt is made. */
export function pauseOf({ failure }: HeldAgent, now: number): number {
  return Math.max(0, (failure?.notBefore ?? 0) - now);
}

/** Milliseconds until the next attempt. */
export function retryIn(held: HeldAgent, now: number): number {
  return pauseOf(held, now) || backoffDelay(held.attempts, RETRY);
}
