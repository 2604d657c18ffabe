const WINDOW_MS = 1_000;

/** Allows so many per second. `onDropped` is called once in each second that had more. */
export function createFloodLimit(perSecond: number, onDropped: () => void): () => boolean {
  let since = 0;
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - since >= WINDOW_MS) {
      since = now;
      count = 0;
    }
    count += 1;
    if (count === perSecond + 1) onDropped();
    return count <= perSecond;
  };
}

/** Calls `report` for the first of many at once, and again after a while if there were more. */
export function createCoalesced<T>(quietMs: number, report: (value: T) => void) {
  const waiting = new Map<T, { timer: NodeJS.Timeout; again: boolean }>();

  function take(value: T): void {
    const known = waiting.get(value);
    if (known) {
      known.again = true;
      return;
    }
    const timer = setTimeout(() => {
      const again = waiting.get(value)?.again;
      waiting.delete(value);
      if (again) take(value);
    }, quietMs);
    timer.unref();
    waiting.set(value, { timer, again: false });
    report(value);
  }

  return {
    take,
    stop(): void {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}
