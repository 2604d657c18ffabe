/** Lets one loop sleep until it is woken. A wake-up during the work of the loop is not lost. */
export interface Wakeup {
  wake(): void;
  /** Resolves at the next wake-up, or immediately if there was one since the last call; false on timeout. */
  wait(timeoutMs: number): Promise<boolean>;
}

export function createWakeup(): Wakeup {
  let isWoken = false;
  let resolve: (() => void) | undefined;
  return {
    wake() {
      isWoken = true;
      resolve?.();
    },
    async wait(timeoutMs) {
      if (!isWoken) {
        const waiting = Promise.withResolvers<void>();
        resolve = waiting.resolve;
        const timer = setTimeout(waiting.resolve, timeoutMs);
        await waiting.promise;
        clearTimeout(timer);
      }
      const woken = isWoken;
      isWoken = false;
      return woken;
    },
  };
}
