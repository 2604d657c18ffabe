import { setFrequentTimeout } from './frequent-timeout.ts';

/** A longer timer would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that is aborted when the time is over or the caller's own signal is; the returned promise
 * ends then too, even if `work` ignores the signal. `reason` returns the error. `work` is not started for a caller that
 * has already aborted.
 */
export async function withDeadline<T>(
  milliseconds: number,
  caller: AbortSignal | undefined,
  reason: (why: 'timeout' | 'cancelled') => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (caller?.aborted) throw reason('cancelled');
  const controller = new AbortController();
  const { promise: ended, resolve, reject } = Promise.withResolvers<T>();
  const end = (why: 'timeout' | 'cancelled') => {
    const error = reason(why);
    controller.abort(error);
    reject(error);
  };
  const onCallerAbort = () => end('cancelled');
  const timer = setFrequentTimeout(() => end('timeout'), Math.min(milliseconds, LONGEST_TIMER_MS));
  caller?.addEventListener('abort', onCallerAbort, { once: true });
  try {
    work(controller.signal).then(resolve, reject);
    return await ended;
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', onCallerAbort);
  }
}
