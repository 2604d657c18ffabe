/** Runs one work after the other, in the order in which they were asked for. */
export interface CommandQueue {
  run<T>(work: () => Promise<T>): Promise<T>;
  readonly isBusy: boolean;
  /** Resolves when nothing is running or waiting any more. */
  empty(): Promise<void>;
}

export function createCommandQueue(): CommandQueue {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;

  return {
    get isBusy() {
      return count > 0;
    },
    run(work) {
      count += 1;
      const result = last.then(work).finally(() => {
        count -= 1;
      });
      last = result.catch(() => undefined);
      return result;
    },
    async empty() {
      while (count > 0) await last;
    },
  };
}
