import { setTimeout as sleep } from 'node:timers/promises';

interface Timing {
  now(): number;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const realTiming: Timing = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

/** Rate limit: `burst` lines immediately, then one per `everyMs`. Servers disconnect clients that send faster. */
export function createFlow({ burst, everyMs }: { burst: number; everyMs: number }, { now, wait } = realTiming) {
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    async pass(signal: AbortSignal): Promise<void> {
      const at = now();
      nextAt = Math.max(nextAt, at - burst * everyMs) + everyMs;
      if (nextAt > at) await wait(nextAt - at, signal);
    },
  };
}
