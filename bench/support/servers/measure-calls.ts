import type { Measure, Samples } from '../report.ts';
import { percentile, roundRobin } from '../rounds.ts';
import type { Contender } from './contender.ts';
import { startTarget, type Target } from './target.ts';
import type { Tolerance } from './tolerance.ts';
import type { Wire } from './wire.ts';

export interface CallEffort {
  rounds: number;
  /** Calls per round, one after the other. */
  calls: number;
  /** How long calls are made at once, per round. */
  burstMs: number;
  /** Calls before measuring, so that all code is compiled. */
  warmUp: number;
}

export const CALL_MEASURES: readonly Measure[] = [
  { id: 'p50', title: 'p50', unit: 'µs' },
  { id: 'p99', title: 'p99', unit: 'µs' },
  { id: 'rate/16', title: '16 at once', unit: '/s' },
  { id: 'rate/64', title: '64 at once', unit: '/s' },
  { id: 'cpu/1', title: 'CPU, 1', unit: 'ms' },
  { id: 'cpu/64', title: 'CPU, 64', unit: 'ms' },
  { id: 'cpu/upstream', title: 'upstream CPU, 64', unit: 'ms' },
];

/** Calls that open connections before those that count. */
const CONNECTING = 2;

/** All run at the same time and take turns. */
export async function measureCalls(
  contenders: readonly Contender[],
  { echo, tolerate, ...effort }: CallEffort & { echo: string; tolerate: Tolerance },
  samples: Samples,
): Promise<void> {
  const targets: Target[] = [];
  try {
    for (const contender of contenders) {
      await tolerate(contender, async () => {
        const target = await startTarget(contender, echo, { upstreams: 1 });
        targets.push(target);
        await callAtOnce(target.wire, 64, { calls: effort.warmUp });
      });
    }
    await roundRobin(effort.rounds, targets, (target) =>
      tolerate(target.contender, () => measureRound(target, effort, samples)),
    );
  } finally {
    await Promise.all(targets.map((target) => target.close()));
  }
}

async function measureRound({ contender: { id }, wire, cpu }: Target, effort: CallEffort, samples: Samples) {
  await callAtOnce(wire, 1, { calls: CONNECTING });
  const before = cpu().gateway;
  const latencies = await callInTurn(wire, effort.calls);
  samples.add('p50', id, percentile(latencies, 0.5));
  samples.add('p99', id, percentile(latencies, 0.99));
  samples.add('cpu/1', id, perThousand(before, cpu().gateway, effort.calls));
  for (const atOnce of [16, 64]) {
    await callAtOnce(wire, atOnce, { calls: atOnce * CONNECTING });
    const cpuBefore = cpu();
    const { calls, seconds } = await callAtOnce(wire, atOnce, { milliseconds: effort.burstMs });
    const cpuAfter = cpu();
    samples.add(`rate/${atOnce}`, id, calls / seconds);
    if (atOnce < 64) continue;
    samples.add('cpu/64', id, perThousand(cpuBefore.gateway, cpuAfter.gateway, calls));
    samples.add('cpu/upstream', id, perThousand(cpuBefore.upstream, cpuAfter.upstream, calls));
  }
}

/** Microseconds of each call. */
async function callInTurn(wire: Wire, count: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let number = 0; number < count; number++) {
    const startedAt = performance.now();
    await wire.call();
    latencies.push((performance.now() - startedAt) * 1000);
  }
  return latencies;
}

async function callAtOnce(
  wire: Wire,
  atOnce: number,
  { calls: limit = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY },
): Promise<{ calls: number; seconds: number }> {
  const startedAt = performance.now();
  let calls = 0;
  async function caller(): Promise<void> {
    while (calls < limit && performance.now() - startedAt < milliseconds) {
      calls += 1;
      await wire.call();
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller));
  return { calls, seconds: (performance.now() - startedAt) / 1000 };
}

function perThousand(before: number | undefined, after: number | undefined, calls: number): number | undefined {
  return before === undefined || after === undefined ? undefined : ((after - before) * 1000) / calls;
}
