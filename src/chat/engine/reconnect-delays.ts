import { backoffDelay, withJitter } from '../../lib/backoff.ts';

/** The first wait after a lost connection, and the longest. */
const FIRST_MS = 1_000;
const MAX_MS = 5 * 60_000;
/** After a connection of at least this length, delays begin with the shortest again. */
const GOOD_MS = 60_000;
/** Retrying a rejected sign-in rarely helps before the configuration changes; the cause may be fixed on the server. */
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
