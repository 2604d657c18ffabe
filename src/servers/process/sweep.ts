import { homeMark } from './process-mark.ts';
import { endTree } from './process-tree.ts';

const LIMITS = { killAfterMs: 1_000, timeoutMs: 5_000 } as const;

/**
 * Ends servers that an earlier process of this home left running. Only for the holder of the home's lock, before it
 * starts the first server: it would end that, too. False if some could not be ended.
 */
export function sweepServers(home: string): Promise<boolean> {
  const ofHome = homeMark(home);
  return endTree({ isMark: (mark) => mark.startsWith(ofHome) }, LIMITS);
}
