/** Waits, or until `ended`; leaves no timer. */
export async function pause(milliseconds: number, ended: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  void ended.then(() => resolve());
  await promise;
  clearTimeout(timer);
}
