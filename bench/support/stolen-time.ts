import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** The unit of Linux's counters, in milliseconds. */
const TICK_MS = 10;

/** How long, per core, the host of this machine ran others instead, since boot; 0 if unknown. */
export function stolenMs(): number {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const [, , , , , , , , stolen = 0] = all.split(/\s+/).map(Number);
    return (stolen * TICK_MS) / cpus().length;
  } catch {
    return 0;
  }
}
