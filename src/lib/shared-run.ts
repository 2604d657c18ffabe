/**
 * Concurrent callers share a run of the task that begins after they called. A run that has begun may have missed what a
 * later caller is interested in, so that one waits for the next.
 */
export function sharedRun<T>(task: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;

  async function runAfter(previous: Promise<unknown>): Promise<T> {
    await previous;
    const run = task();
    current = run.catch(() => {});
    next = undefined;
    return run;
  }

  return () => {
    next ??= runAfter(current);
    return next;
  };
}
