/** Keeping the list of shorter ones would wake the process for nothing. */
const SHORTEST_KEPT_MS = 10_000;
/** More different lengths than this are not frequent ones. */
const MOST_KEPT = 20;

const kept = new Set<number>();

/**
 * `setTimeout` for what is set with every call and hardly ever goes off. Node has a list for each length of time, made for
 * its first timer and unmade with its last; where one call follows another, that costs more than all else about timers.
 * So one timer always waits in it, and keeps no process alive.
 */
export function setFrequentTimeout(callback: () => void, milliseconds: number): NodeJS.Timeout {
  if (milliseconds >= SHORTEST_KEPT_MS && kept.size < MOST_KEPT && !kept.has(milliseconds)) {
    kept.add(milliseconds);
    setInterval(() => {}, milliseconds).unref();
  }
  return setTimeout(callback, milliseconds);
}
