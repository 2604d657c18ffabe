import { backoffDelay } from '../lib/backoff.ts';

const DELAYS = { firstMs: 1_000, longestMs: 5 * 60_000 };
/** About a day with these delays. */
const MAX_ATTEMPTS = 300;

/** Milliseconds until the next attempt; undefined where there is none. */
export function retryDelay(attempts: number): number | undefined {
  return attempts >= MAX_ATTEMPTS ? undefined : backoffDelay(attempts, DELAYS);
}
