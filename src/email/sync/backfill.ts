import type { BulkResult, FolderGap } from './bulk-job.ts';
import type { SyncPasses } from './sync-passes.ts';

interface BackfillParts {
  passes: Pick<SyncPasses, 'all'>;
  fetchMany(gaps: readonly FolderGap[]): Promise<BulkResult>;
  now(): number;
  onFailure(error: unknown): void;
}

/** Older emails are fetched in the background, one job at a time. */
export interface Backfill {
  /** Does nothing while it is running: a look at all folders at its end finds what is left. */
  start(gaps: readonly FolderGap[]): void;
  /** Resolves when nothing is left to fetch; rejects if it failed. */
  finished(): Promise<void>;
  /** Emails that its jobs have added. */
  added(): number;
}

/** A folder that the server refuses to read is tried again after this time. */
const REFUSED_MS = 10 * 60_000;
/** Rounds for folders that appear or are numbered anew meanwhile. */
const MAX_ROUNDS = 5;

export function createBackfill({ passes, fetchMany, now, onFailure }: BackfillParts): Backfill {
  const refusedAt = new Map<number, number>();
  let running: Promise<void> | undefined;
  let added = 0;

  const wanted = (gaps: readonly FolderGap[]) =>
    gaps.filter(({ folder }) => now() - (refusedAt.get(folder) ?? Number.NEGATIVE_INFINITY) >= REFUSED_MS);

  async function fetchAll(gaps: readonly FolderGap[]): Promise<void> {
    let left = gaps;
    for (let round = 0; round < MAX_ROUNDS && left.length > 0; round += 1) {
      const result = await fetchMany(left);
      added += result.added;
      for (const folder of result.refused) refusedAt.set(folder, now());
      // What other clients changed meanwhile, and emails that were found in another folder, are known after this.
      left = wanted((await passes.all()).older);
    }
  }

  return {
    start(gaps) {
      const left = wanted(gaps);
      if (running || left.length === 0) return;
      running = fetchAll(left).finally(() => {
        running = undefined;
      });
      running.catch(onFailure);
    },
    finished: async () => running,
    added: () => added,
  };
}
