import type { Clock } from '../lib/clock.ts';

/** A timer that is told to wait longer goes off at once; nobody minds looking once a day. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/** Work that is done when something happens or is due, and never twice at the same time. */
export function createScheduledTask(work: () => Promise<void>, onFailure: (err: unknown) => void) {
  let running: Promise<void> | undefined;
  let again = false;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  function now(): void {
    if (!isRunning) return;
    again = true;
    running ??= workOff().finally(() => {
      running = undefined;
    });
  }

  async function workOff(): Promise<void> {
    while (again && isRunning) {
      again = false;
      await work().catch(onFailure);
    }
  }

  return {
    now,
    /** At this moment at the latest; replaces what was said before. */
    at(moment: number, clock: Clock): void {
      clearTimeout(timer);
      if (!isRunning) return;
      timer = setTimeout(now, Math.min(Math.max(moment - clock.now(), 0), LONGEST_MS)).unref();
    },
    isRunning: () => isRunning,
    start(): void {
      isRunning = true;
      now();
    },
    async stop(): Promise<void> {
      isRunning = false;
      clearTimeout(timer);
      await running;
    },
  };
}
