/** Runs the work on the first call, and returns the same result afterwards; a failure is retried. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}

type Promising = Record<string, (...args: never[]) => Promise<unknown>>;

/** A part that is opened at its first use. Only for parts whose every method returns a promise. */
export function opensLate<T extends { [Key in keyof T]: Promising[string] }>(open: () => Promise<T>): T {
  return new Proxy({} as T, {
    get(_, name) {
      // Otherwise `await` would take the part for a promise and wait forever.
      if (name === 'then') return undefined;
      return async (...args: never[]) => {
        const part = await open();
        return part[name as keyof T](...args);
      };
    },
  });
}
