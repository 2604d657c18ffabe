import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { SearchIndex } from './ports.ts';

/** How often it is looked for messages that are to be indexed further. */
const INTERVAL_MS = 10_000;

/** Brings the search index up to date in the background, again and again. */
export interface IndexUpdates {
  /** Until the signal given at the creation is aborted. */
  run(): Promise<void>;
  /** Does some work that needs the processor and the memory for itself, such as an import. */
  pausedDuring<T>(work: () => Promise<T>): Promise<T>;
}

interface IndexUpdateParts {
  index(): Promise<SearchIndex>;
  log: Pick<Log, 'info' | 'error'>;
  signal: AbortSignal;
  intervalMs?: number;
}

export function createIndexUpdates({ index, log, signal, intervalMs = INTERVAL_MS }: IndexUpdateParts): IndexUpdates {
  let pauses = 0;
  let stop = new AbortController();

  async function update(): Promise<void> {
    stop = new AbortController();
    try {
      const count = await (await index()).update(AbortSignal.any([signal, stop.signal]));
      if (count > 0) log.info({ count }, 'messages were indexed again');
    } catch (err) {
      log.error({ err }, 'the search index could not be brought up to date');
    }
  }

  return {
    async run() {
      while (!signal.aborted) {
        if (pauses === 0) await update();
        await sleep(intervalMs, undefined, { ref: false, signal }).catch(() => {});
      }
    },
    async pausedDuring(work) {
      pauses += 1;
      // The work does not wait for what cannot end at once.
      stop.abort();
      try {
        return await work();
      } finally {
        pauses -= 1;
      }
    },
  };
}
