import type { Clock } from '../../src/lib/clock.ts';

/** A clock that only the test advances. */
export function manualClock(start = Date.UTC(2030, 0, 1)): Clock & { advance(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}
