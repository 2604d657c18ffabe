import { withDeadline } from '../lib/deadline.ts';

/** A store that takes longer counts as not ready. */
const TIMEOUT_MS = 2_000;

/** Concurrent requests share one check, because the endpoint needs no token and a check uses the store. */
export function createReadiness(problems: () => Promise<readonly string[]>, timeoutMs = TIMEOUT_MS) {
  let pending: Promise<readonly string[]> | undefined;

  return async (): Promise<readonly string[]> => {
    pending ??= problems().finally(() => {
      pending = undefined;
    });
    const check = pending;
    try {
      return await withDeadline(
        timeoutMs,
        undefined,
        () => new Error('not in time'),
        () => check,
      );
    } catch {
      return ['The store does not answer.'];
    }
  };
}
