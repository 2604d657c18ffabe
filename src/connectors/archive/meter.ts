import type { ImportItem } from './importer.ts';

const STEP_BYTES = 1024 * 1024;

/** Reports progress after each further piece and at the end. It never goes back: sizes of packed files are estimates. */
export function createMeter(total: number): (done: number) => readonly ImportItem[] {
  let [next, last] = [STEP_BYTES, 0];
  return (done) => {
    const reached = Math.min(done, total);
    if (reached <= last || (reached < next && reached < total)) return [];
    next = reached + STEP_BYTES;
    last = reached;
    return [{ kind: 'progress', done: reached, total }];
  };
}
