import { setTimeout as sleep } from 'node:timers/promises';

/** Lets `burst` pass at once and then one in each `everyMs`: servers throw out whoever writes faster. */
export function createFlow({ burst, everyMs }: { burst: number; everyMs: number }, now = () => performance.now()) {
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    async pass(signal: AbortSignal): Promise<void> {
      const at = now();
      nextAt = Math.max(nextAt, at - burst * everyMs) + everyMs;
      if (nextAt > at) await sleep(nextAt - at, undefined, { signal });
    },
  };
}
