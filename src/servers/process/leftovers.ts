import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../lib/once.ts';
import { sweepServers } from './sweep.ts';

/**
 * Remembers, in a file of the home, that servers may be running. Where the last process of the home has stopped its
 * servers, nothing is looked for: reading the table of processes would delay every start.
 */
export function createLeftovers({ home }: { home: string }) {
  const file = join(home, 'run', 'servers-running');
  let isNoted = false;

  return {
    /** Ends servers that an earlier process of this home left; one that is started before would be ended, too. */
    sweep: once(async (): Promise<boolean> => !existsSync(file) || sweepServers(home)),
    /** A server is about to be started. */
    expect(): void {
      if (isNoted) return;
      isNoted = true;
      try {
        writeFileSync(file, '', { mode: 0o600 });
      } catch {
        // The guard ends servers without it; only those that outlive the guard as well would be left.
      }
    },
    /** All servers have ended. */
    none(): void {
      if (isNoted) rmSync(file, { force: true });
      isNoted = false;
    },
  };
}
