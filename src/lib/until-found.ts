/**
 * Looks for something, and again after each notification, until it is found or the signal is aborted; looks a last time then. The
 * subscription begins before the first look, so that no change in between is missed.
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
