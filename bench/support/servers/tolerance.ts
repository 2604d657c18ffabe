import type { Contender } from './contender.ts';

/** Runs what may fail for a reason that is not ours; a program that failed is not measured further. */
export type Tolerance = (contender: Contender, work: () => Promise<void>) => Promise<void>;

/** A gateway of others that cannot be measured is reported with the reason, and the others are measured. */
export function createTolerance(): { tolerate: Tolerance; failures: ReadonlyMap<string, string> } {
  const failures = new Map<string, string>();
  return {
    failures,
    async tolerate(contender, work) {
      if (failures.has(contender.id)) return;
      try {
        await work();
      } catch (error) {
        if (contender.kind !== 'peer') throw error;
        failures.set(contender.id, oneLine(error));
      }
    },
  };
}

const MAX_REASON = 120;

function oneLine(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
}
