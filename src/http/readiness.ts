import { withDeadline } from '../lib/deadline.ts';

/** Whoever asks wants to know soon; a store that takes longer is not ready. */
const TIMEOUT_MS = 2_000;

/** Asks once for everybody who asks at the same time: anybody may ask, and asking takes the store's attention. */
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
