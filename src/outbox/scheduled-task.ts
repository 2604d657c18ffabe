import type { Clock } from '../lib/clock.ts';

/** A timer with a longer delay would fire immediately; running once a day costs nothing. */
const MAX_DELAY_MS = 24 * 60 * 60 * 1000;

export interface ScheduledTask {
  /** Runs the task; while it is running, once more after that. */
  runNow(): void;
  /** Runs the task at this timestamp; replaces an earlier one. */
  runAt(timestamp: number): void;
  isStarted(): boolean;
  start(): void;
  /** Resolves when a running task has ended. */
  stop(): Promise<void>;
}

/** Work that runs when it is triggered or due, and never concurrently with itself. */
export function createScheduledTask(
  clock: Clock,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): ScheduledTask {
  let running: Promise<void> | undefined;
  let isTriggered = false;
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  function runNow(): void {
    if (!isStarted) return;
    isTriggered = true;
    running ??= runWhileTriggered();
  }

  async function runWhileTriggered(): Promise<void> {
    while (isTriggered && isStarted) {
      isTriggered = false;
      await work().catch(onError);
    }
    // In the same turn as the check: a trigger in between would be lost.
    running = undefined;
  }

  return {
    runNow,
    runAt(timestamp) {
      clearTimeout(timer);
      if (!isStarted) return;
      timer = setTimeout(runNow, Math.min(Math.max(timestamp - clock.now(), 0), MAX_DELAY_MS)).unref();
    },
    isStarted: () => isStarted,
    start() {
      isStarted = true;
      runNow();
    },
    async stop() {
      isStarted = false;
      clearTimeout(timer);
      await running;
    },
  };
}
