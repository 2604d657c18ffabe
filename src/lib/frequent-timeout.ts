/** Keeping the list of a shorter duration would wake the process needlessly. */
const SHORTEST_KEPT_MS = 10_000;
/** More different lengths than this are not frequent ones. */
const MOST_KEPT = 20;

const kept = new Set<number>();

/**
 * `setTimeout` for timers that are set with every call and rarely fire. Node keeps a list per duration, which is
 * created for its first timer and removed with its last; with consecutive calls that costs more than anything else
 * about timers. So one timer is always kept in the list, without keeping the process alive.
 */
export function setFrequentTimeout(callback: () => void, milliseconds: number): NodeJS.Timeout {
  if (milliseconds >= SHORTEST_KEPT_MS && kept.size < MOST_KEPT && !kept.has(milliseconds)) {
    kept.add(milliseconds);
    setInterval(() => {}, milliseconds).unref();
  }
  return setTimeout(callback, milliseconds);
}
