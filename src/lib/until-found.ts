/**
 * Searches, and searches again after each notification, until something is found or the signal is aborted; then it
 * searches a last time. The subscription begins before the first search, so that no change is missed.
 */
export async function untilFound<T>(
  look: () => Promise<T | undefined>,
  subscribe: (notify: () => void) => (() => void) | Promise<() => void>,
  signal: AbortSignal,
): Promise<T | undefined> {
  let notified = Promise.withResolvers<void>();
  const notify = () => notified.resolve();
  const unsubscribe = await subscribe(notify);
  signal.addEventListener('abort', notify);
  try {
    for (;;) {
      const isLast = signal.aborted;
      const found = await look();
      if (found !== undefined || isLast) return found;
      await notified.promise;
      notified = Promise.withResolvers();
    }
  } finally {
    signal.removeEventListener('abort', notify);
    unsubscribe();
  }
}
