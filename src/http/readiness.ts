import { withDeadline } from '../lib/deadline.ts';

/** Whoever asks wants to know soon; a store that takes longer is not ready. */
const PATIENCE_MS = 2_000;

/** Asks once for everybody who asks at the same time: anybody may ask, and asking takes the store's attention. */
export function createReadiness(problems: () => Promise<readonly string[]>, patienceMs = PATIENCE_MS) {
  let asking: Promise<readonly string[]> | undefined;

  return async (): Promise<readonly string[]> => {
    asking ??= problems().finally(() => {
      asking = undefined;
    });
    const asked = asking;
    try {
      return await withDeadline(
        patienceMs,
        undefined,
        () => new Error('not in time'),
        () => asked,
      );
    } catch {
      return ['The store does not answer.'];
    }
  };
}
