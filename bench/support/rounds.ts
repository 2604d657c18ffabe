import type { Client } from './client.ts';
import type { ToolCall } from './tool-definitions.ts';

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Runs all contenders in every round, starting with another one each time, so that other load affects all alike. */
export async function roundRobin<T>(
  rounds: number,
  contenders: readonly T[],
  take: (contender: T, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(round + turn) % contenders.length];
      if (contender !== undefined) await take(contender, round);
    }
  }
}

export interface Burst {
  /** Microseconds of each call. */
  latencies: readonly number[];
  callsPerSecond: number;
}

/** Makes `count` tool calls, `atOnce` of them concurrently, from the clients in turn. */
export async function callTools(
  clients: readonly Client[],
  calls: readonly ToolCall[],
  { count, atOnce }: { count: number; atOnce: number },
): Promise<Burst> {
  const latencies: number[] = [];
  let next = 0;
  async function caller(): Promise<void> {
    while (next < count) {
      const call = calls[next % calls.length];
      const client = clients[next % clients.length];
      next += 1;
      const startedAt = performance.now();
      await client?.request('tools/call', { ...call });
      latencies.push((performance.now() - startedAt) * 1000);
    }
  }
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, caller));
  return { latencies, callsPerSecond: (count * 1000) / (performance.now() - startedAt) };
}
