import { backoffDelay } from '../lib/backoff.ts';

const BACKOFF = { firstMs: 1_000, longestMs: 5 * 60_000 };
/** With these waits about a day: what could not be sent until then is hardly wanted any more. */
const MOST_ATTEMPTS = 300;

/** How long to wait after so many attempts; undefined when it is enough. */
export function retryDelay(attempts: number): number | undefined {
  if (attempts >= MOST_ATTEMPTS) return undefined;
  return backoffDelay(attempts, BACKOFF);
}
