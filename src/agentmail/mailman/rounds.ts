/** Longest time that events are gathered before a round. */
const MAX_WAIT_MS = 500;

export interface Rounds {
  /** Something has changed: a round runs immediately, or soon after the last one. */
  request(): void;
  /** Resolves when the current round is over. No further one begins. */
  stop(): Promise<void>;
}

/**
 * Runs rounds one at a time. The first event starts one immediately; further events are gathered for the next, so
 * that a burst neither delays it nor costs a round per line. Each round returns the time until the next.
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
      notBefore = performance.now() + MAX_WAIT_MS;
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
