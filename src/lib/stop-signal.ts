/** How often we check whether the process that started us still runs. */
const PARENT_CHECK_MS = 1_000;

/**
 * Aborted when this process should end: by a signal or, with `withParent`, because the parent process has exited. A
 * second signal ends it immediately.
 */
export function stopSignal({ withParent }: { withParent: boolean }): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort(signal);
    });
  }
  if (withParent) {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      controller.abort('parent gone');
    }, PARENT_CHECK_MS);
    watch.unref();
  }
  return controller.signal;
}
