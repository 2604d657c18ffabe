import { readFileSync } from 'node:fs';

/** What a limit in time is compared with. */
export interface Elapsed {
  ms: number;
  /** The same without the time in which some process waited for a processor. */
  uncontendedMs: number;
}

export function startStopwatch(): () => Elapsed {
  const [startedAt, contendedBefore] = [performance.now(), contendedMs()];
  return () => {
    const ms = performance.now() - startedAt;
    return { ms, uncontendedMs: ms - (contendedMs() - contendedBefore) };
  };
}

/**
 * Repeats an attempt until it keeps within its limit. Other tests want the machine too: where no attempt does, the time in which
 * processes waited for a processor does not count.
 */
export async function withinLimit(limitMs: number, attempt: () => Promise<Elapsed>): Promise<boolean> {
  const attempts: Elapsed[] = [];
  for (let count = 0; count < 5; count++) {
    const elapsed = await attempt();
    if (elapsed.ms < limitMs) return true;
    attempts.push(elapsed);
  }
  return attempts.some(({ uncontendedMs }) => uncontendedMs < limitMs);
}

/** Counted by Linux since its start; 0 where it is not. */
function contendedMs(): number {
  try {
    const micros = /^some .*total=(\d+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1];
    return Number(micros ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
