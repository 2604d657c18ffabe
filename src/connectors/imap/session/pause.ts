/** Waits, or until `signal` is aborted; leaves no timer and no listener. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, milliseconds);
  signal.addEventListener('abort', end, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}
