/** The first wait after a lost connection, and the longest. */
const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** A connection that lasted this long was a good one: the next loss begins anew. */
const GOOD_MS = 60_000;
/** Trying again what was rejected is of no use until somebody changes something; this is for what was mended elsewhere. */
const REJECTED_MS = 30 * 60_000;

export interface BackOff {
  /** How long to wait now, after a connection that lasted so long. */
  next(lastedMs: number, rejected: boolean): number;
}

/** Waits that double, with a part left to chance so that sources which were cut off together do not return together. */
export function createBackOff(random: () => number, { firstMs = FIRST_MS }: { firstMs?: number } = {}): BackOff {
  let losses = 0;
  return {
    next(lastedMs, rejected) {
      if (lastedMs >= GOOD_MS) losses = 0;
      const wait = rejected ? REJECTED_MS : Math.min(LONGEST_MS, firstMs * 2 ** losses);
      losses = Math.min(losses + 1, 20);
      return Math.round(wait * (0.75 + random() / 2));
    },
  };
}
