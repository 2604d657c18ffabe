import type { Clock } from '../lib/clock.ts';

/** Why a request was refused before it became a call. */
export type Refusal = 'header' | 'missing token' | 'unknown token' | 'other user';

interface RefusalEntry {
  at: number;
  principal: string;
  door: string;
  operation: string;
  effect: 'reads';
  durationMs: number;
  result: string;
  reason: string;
}

export interface RefusalParts {
  audit: { append(entry: RefusalEntry): Promise<void> };
  clock: Clock;
}

const INTERVAL_MS = 60_000;

const REASONS: Record<Refusal, { result: string; reason: string }> = {
  header: { result: 'FORBIDDEN', reason: 'The Host or Origin of the request is not allowed.' },
  'missing token': { result: 'UNAUTHORIZED', reason: 'The request had no token.' },
  'unknown token': { result: 'UNAUTHORIZED', reason: 'The token is not known.' },
  'other user': { result: 'FORBIDDEN', reason: 'The request came from another user of this machine.' },
};

/**
 * Writes refused requests to the audit log: the first of each kind immediately, and those of the following minute as one entry
 * with their number, so that a client that is refused again and again does not fill the disk.
 */
export function createRefusals({ audit, clock }: RefusalParts) {
  const counts = new Map<Refusal, { count: number; timer: NodeJS.Timeout }>();

  function write(refusal: Refusal, count: number): void {
    const { result, reason } = REASONS[refusal];
    const entry = { at: clock.now(), principal: '-', door: 'http', operation: 'sign in', effect: 'reads' } as const;
    const times = count === 1 ? reason : `${reason} ${count} times within a minute.`;
    // The log warns by itself where it cannot be written.
    audit.append({ ...entry, durationMs: 0, result, reason: times }).catch(() => {});
  }

  function flush(refusal: Refusal): void {
    const counted = counts.get(refusal);
    counts.delete(refusal);
    if (counted && counted.count > 0) write(refusal, counted.count);
  }

  return {
    note(refusal: Refusal): void {
      const counted = counts.get(refusal);
      if (counted) {
        counted.count += 1;
        return;
      }
      counts.set(refusal, { count: 0, timer: setTimeout(() => flush(refusal), INTERVAL_MS).unref() });
      write(refusal, 1);
    },
    /** Writes what was counted. */
    close(): void {
      for (const [refusal, { timer }] of [...counts]) {
        clearTimeout(timer);
        flush(refusal);
      }
    },
  };
}
