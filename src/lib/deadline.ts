/**
 * Runs `work` with a signal that is aborted when the time is over or the caller's own signal is; the returned promise
 * ends then too, even if `work` does not listen. `reason` words the failure.
 */
export async function withDeadline<T>(
  milliseconds: number,
  caller: AbortSignal | undefined,
  reason: (why: 'timeout' | 'cancelled') => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (why: 'timeout' | 'cancelled') => {
    const error = reason(why);
    controller.abort(error);
    reject(error);
  };
  const onCallerAbort = () => end('cancelled');
  const timer = setTimeout(() => end('timeout'), milliseconds);
  caller?.addEventListener('abort', onCallerAbort, { once: true });
  if (caller?.aborted) onCallerAbort();
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', onCallerAbort);
    ended.catch(() => {});
  }
}
