import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What Linux counts in. */
const TICK_MS = 10;

/** For how long, per core, the host of this machine ran others instead, ever since; nothing where that cannot be known. */
export function stolenMs(): number {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const [, , , , , , , , stolen = 0] = all.split(/\s+/).map(Number);
    return (stolen * TICK_MS) / cpus().length;
  } catch {
    return 0;
  }
}
