import { type Client, shakeHands } from './client.ts';
import type { Contender } from './contenders.ts';
import { MANY_AT_ONCE } from './measure-calls.ts';
import { memoryOf, type Running, start } from './process.ts';
import type { Measure, Samples } from './report.ts';
import { callTools } from './rounds.ts';
import { createStdioClient } from './stdio-client.ts';

export function crowdMeasures(size: number): Measure[] {
  return [
    { id: 'crowd/private', title: `${size} at once: private memory of each`, unit: 'MB' },
    { id: 'crowd/private-after', title: `${size} at once: the same after the calls`, unit: 'MB' },
    { id: 'crowd/rate', title: `${size} at once: calls, ${MANY_AT_ONCE} at once, over all`, unit: '/s' },
  ];
}

/** Many agents, each with its own shim in front of the same daemon. */
export async function measureCrowd(
  { id, stdio, calls }: Contender,
  size: number,
  { rounds, count }: { rounds: number; count: number },
  samples: Samples,
): Promise<void> {
  const crowd: { running: Running; client: Client }[] = [];
  try {
    for (let number = 0; number < size; number++) {
      const running = start(stdio);
      const one = { running, client: createStdioClient(running) };
      crowd.push(one);
      await shakeHands(one.client);
    }
    recordMemory('crowd/private');
    const clients = crowd.map(({ client }) => client);
    for (let round = 0; round < rounds; round++) {
      const { callsPerSecond } = await callTools(clients, calls, { count, atOnce: MANY_AT_ONCE });
      samples.add('crowd/rate', id, callsPerSecond);
    }
    recordMemory('crowd/private-after');
  } finally {
    await Promise.all(crowd.map(({ client }) => client.close()));
  }

  function recordMemory(measure: string): void {
    for (const { running } of crowd) samples.add(measure, id, memoryOf(running)?.privateMb);
  }
}
