import { once } from 'node:events';
import { join } from 'node:path';
import { fillMailbox, type Place } from './mail-places.ts';
import { start } from './process.ts';
import type { Measure, Samples } from './report.ts';
import { roundRobin } from './rounds.ts';

const PROGRAM = join(import.meta.dirname, 'mail-ring-program.ts');
const AGENTS = 8;

export function ringMeasures(places: readonly Place[], letters: number): Measure[] {
  return places.map(({ id, title }) => ({
    ...{ id: `ring/${id}`, unit: '/s' },
    title: `${title}, ${AGENTS} processes in a ring, ${letters} letters each: sent and received`,
  }));
}

/** Each sends to the next and receives from the previous one, concurrently. */
export async function measureRing(
  places: readonly Place[],
  { rounds, letters }: { rounds: number; letters: number },
  samples: Samples,
): Promise<void> {
  for (const place of places) {
    await roundRobin(rounds, ['ours', 'plain'], async (kind) => {
      samples.add(
        `ring/${place.id}`,
        kind,
        (AGENTS * letters * 1000) / (await ring(kind, place.repository(), letters)),
      );
    });
  }
}

/** Milliseconds until the last one is done. */
async function ring(kind: string, root: string, letters: number): Promise<number> {
  const agents = Array.from({ length: AGENTS }, (_, number) => {
    fillMailbox(root, `a${number}`, 0);
    return start({ args: [PROGRAM, kind, root, String(number), String(AGENTS), String(letters)] });
  });
  await Promise.all(agents.map(({ stdout }) => once(stdout, 'data')));
  const startedAt = performance.now();
  const ended = agents.map((agent) => once(agent, 'exit'));
  for (const { stdin, stderr } of agents) {
    stdin.write('go\n');
    stderr.pipe(process.stderr);
  }
  const codes = (await Promise.all(ended)).map(([code]) => code);
  if (codes.some((code) => code !== 0)) throw new Error(`an agent of the ring ended with ${codes.join(', ')}`);
  return performance.now() - startedAt;
}
