import { createProcessGuard, type ProcessGuard } from '../../lib/process-guard.ts';
import { MARK_VARIABLE, newMark, ownerMark } from './process-mark.ts';

/** Ends servers when this process dies without stopping them. */
export interface Guard extends ProcessGuard {
  /** A mark for the environment of a new server. */
  newMark(): string;
}

export function createGuard({ home }: { home: string }): Guard {
  const owner = ownerMark(home);
  return { newMark: () => newMark(owner), ...createProcessGuard({ mark: `${MARK_VARIABLE}=${owner}` }) };
}
