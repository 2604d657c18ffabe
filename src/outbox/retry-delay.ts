const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** With these waits about a day: what could not be sent until then is hardly wanted any more. */
const MOST_ATTEMPTS = 300;

/** How long to wait after so many attempts; undefined when it is enough. */
export function retryDelay(attempts: number): number | undefined {
  if (attempts >= MOST_ATTEMPTS) return undefined;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (Math.min(attempts, 20) - 1));
}
