import { shakeHands } from './client.ts';
import type { Contender } from './contenders.ts';
import { cpuOf, runToEnd, start } from './process.ts';
import type { Measure, Samples } from './report.ts';
import { roundRobin } from './rounds.ts';
import { createStdioClient } from './stdio-client.ts';

export const START_MEASURES: readonly Measure[] = [
  { id: 'start/initialize', title: 'stdio: spawn to answered initialize', unit: 'ms' },
  { id: 'start/list', title: 'stdio: spawn to answered tools/list', unit: 'ms' },
  { id: 'start/cpu', title: 'stdio: processor time until then', unit: 'ms' },
];

/**
 * Starts that are not measured: the first creates the home and fills the disk cache, the second may store compiled
 * code.
 */
const FIRST_STARTS = 2;

/** `cold` finds no daemon at any of its starts. */
export async function measureStarts(
  contenders: readonly Contender[],
  cold: Contender,
  rounds: number,
  samples: Samples,
): Promise<void> {
  await roundRobin(FIRST_STARTS + rounds, [...contenders, cold], async (contender, round) => {
    const { id, stdio, stop } = contender;
    if (contender === cold && stop) await runToEnd(stop);
    const startedAt = performance.now();
    const running = start(stdio);
    const client = createStdioClient(running);
    await shakeHands(client);
    const shaken = performance.now() - startedAt;
    await client.request('tools/list');
    const listed = performance.now() - startedAt;
    const cpu = cpuOf(running);
    await client.close();
    if (round < FIRST_STARTS) return;
    samples.add('start/initialize', id, shaken);
    samples.add('start/list', id, listed);
    samples.add('start/cpu', id, cpu);
  });
}
