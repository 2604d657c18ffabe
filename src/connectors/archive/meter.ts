import type { ImportItem } from './importer.ts';

const STEP_BYTES = 1024 * 1024;

/** Reports progress after each further piece and at the end. */
export function createMeter(total: number): (done: number) => readonly ImportItem[] {
  let next = STEP_BYTES;
  return (done) => {
    if (done < next && done < total) return [];
    next = done + STEP_BYTES;
    return [{ kind: 'progress', done: Math.min(done, total), total }];
  };
}
