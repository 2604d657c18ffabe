import { stolenMs } from './stolen-time.ts';

/**
 * Runs a function and returns, beside its result, the longest time that the event loop was blocked. Time in which the
 * host suspended the machine is not counted.
 */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const stolenBefore = stolenMs();
  let last = performance.now();
  let longest = 0;
  let running = true;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(look);
  };
  setImmediate(look);
  const result = await work();
  running = false;
  longest = Math.max(longest, performance.now() - last);
  return { result, ms: Math.max(0, longest - (stolenMs() - stolenBefore)) };
}
