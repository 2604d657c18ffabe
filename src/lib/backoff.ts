export interface Backoff {
  firstMs: number;
  longestMs: number;
  /** How much longer each delay is than the one before it. */
  factor?: number;
}

/** The delay before the next attempt, after this many failed ones. */
export function backoffDelay(failures: number, { firstMs, longestMs, factor = 2 }: Backoff): number {
  const doublings = Math.min(Math.max(failures, 1) - 1, MOST_DOUBLINGS);
  return Math.min(longestMs, firstMs * factor ** doublings);
}

/** Varies a delay by up to a quarter in both directions, so that clients which failed together do not retry together. */
export function withJitter(delayMs: number, random: () => number = Math.random): number {
  return delayMs * (0.75 + random() / 2);
}

/** Every delay has reached its limit there, and the power is still a finite number. */
const MOST_DOUBLINGS = 40;
