/** News is waited for no longer than this, however much of it comes. */
const MOST_WAIT_MS = 500;

export interface Rounds {
  /** Something has changed: a round is made at once, or soon after the last one. */
  request(): void;
  /** When the round that is under way, if any, is over. No further one begins. */
  stop(): Promise<void>;
}

/**
 * Makes rounds one after the other. The first news begins one at once; what comes meanwhile is gathered for the next, so
 * that neither a burst delays it nor every line of it costs a round. A round says after how long there must be another.
 */
export function makeRounds(round: () => Promise<{ againInMs: number }>): Rounds {
  let underway: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let notBefore = 0;
  let isStopped = false;

  function plan(at: number): void {
    if (isStopped || at >= dueAt) return;
    dueAt = at;
    clearTimeout(timer);
    timer = setTimeout(begin, Math.max(0, at - performance.now()));
  }

  function begin(): void {
    if (underway || isStopped) return;
    dueAt = Number.POSITIVE_INFINITY;
    underway = round().then(({ againInMs }) => {
      underway = undefined;
      notBefore = performance.now() + MOST_WAIT_MS;
      const requestedAt = dueAt;
      dueAt = Number.POSITIVE_INFINITY;
      plan(Math.min(Math.max(requestedAt, notBefore), performance.now() + againInMs));
    });
  }

  return {
    request: () => plan(Math.max(performance.now(), notBefore)),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await underway;
    },
  };
}
