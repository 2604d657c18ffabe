import { backoffDelay, withJitter } from '../../lib/backoff.ts';

/** The first wait after a lost connection, and the longest. */
const FIRST_MS = 1_000;
const MAX_MS = 5 * 60_000;
/** A connection that lasted this long was a good one: the next loss begins anew. */
const GOOD_MS = 60_000;
/** Retrying a rejected sign-in does not help until the configuration changes; this is for what was fixed elsewhere. */
const REJECTED_MS = 30 * 60_000;

export interface ReconnectDelays {
  /** How long to wait now, after a connection that lasted this long. */
  next(lastedMs: number, rejected: boolean): number;
}

export function createReconnectDelays(
  random: () => number,
  { firstMs = FIRST_MS }: { firstMs?: number } = {},
): ReconnectDelays {
  let losses = 0;
  return {
    next(lastedMs, rejected) {
      losses = lastedMs >= GOOD_MS ? 1 : losses + 1;
      const wait = rejected ? REJECTED_MS : backoffDelay(losses, { firstMs, longestMs: MAX_MS });
      return Math.round(withJitter(wait, random));
    },
  };
}
