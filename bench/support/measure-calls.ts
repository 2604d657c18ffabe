import { type Client, shakeHands } from './client.ts';
import type { Contender } from './contenders.ts';
import { createSessionClient, createStatelessClient } from './http-client.ts';
import { announced, cpuOf, end, memoryOf, type Running, start } from './process.ts';
import type { Measure, Samples } from './report.ts';
import { callTools, percentile, roundRobin } from './rounds.ts';
import { createStdioClient } from './stdio-client.ts';

export interface CallEffort {
  rounds: number;
  /** Calls per round, one after the other. */
  calls: number;
  /** Calls before measuring, so that all code is compiled. */
  warmUp: number;
}

export const MANY_AT_ONCE = 32;

export function callMeasures(id: string, door: string): Measure[] {
  return [
    { id: `${id}/p50`, title: `${door}: round trip p50`, unit: 'µs' },
    { id: `${id}/p99`, title: `${door}: round trip p99`, unit: 'µs' },
    { id: `${id}/cpu`, title: `${door}: processor time of a call`, unit: 'µs' },
    { id: `${id}/rate-1`, title: `${door}: calls, 1 at once`, unit: '/s' },
    { id: `${id}/rate-many`, title: `${door}: calls, ${MANY_AT_ONCE} at once`, unit: '/s' },
  ];
}

export function memoryMeasures(id: string, door: string): Measure[] {
  return ['start', 'after'].flatMap((moment) => {
    const when = moment === 'start' ? 'after start' : 'after the calls';
    return [
      { id: `${id}/${moment}/rss`, title: `${door}: memory ${when}`, unit: 'MB' },
      { id: `${id}/${moment}/private`, title: `${door}: private memory ${when}`, unit: 'MB' },
    ] satisfies Measure[];
  });
}

interface Opened {
  contender: Contender;
  running: Running;
  client: Client;
}

export async function measureStdio(
  contenders: readonly Contender[],
  effort: CallEffort,
  samples: Samples,
): Promise<void> {
  const opened: Opened[] = [];
  try {
    for (const contender of contenders) {
      const running = start(contender.stdio);
      const one = { contender, running, client: createStdioClient(running) };
      opened.push(one);
      await shakeHands(one.client);
      await one.client.request('tools/list');
      recordMemory('stdio/start', one, samples);
    }
    await measureCalls('stdio', opened, effort, samples);
    for (const one of opened) recordMemory('stdio/after', one, samples);
  } finally {
    await Promise.all(opened.map(({ client }) => client.close()));
  }
}

export async function measureHttp(
  contenders: readonly Contender[],
  effort: CallEffort,
  samples: Samples,
): Promise<void> {
  const sessions: Opened[] = [];
  const stateless: Opened[] = [];
  try {
    for (const contender of contenders) {
      const { http } = contender;
      if (!http) continue;
      const running = start(http);
      const url = await announced(running, /http:\/\/127\.0\.0\.1:\d+/);
      const one = { contender, running, client: createSessionClient(url + http.session) };
      const other = { contender, running, client: createStatelessClient(url + http.stateless) };
      sessions.push(one);
      stateless.push(other);
      await shakeHands(one.client);
      await one.client.request('tools/list');
      await other.client.request('tools/list');
      recordMemory('http/start', one, samples);
    }
    await measureCalls('session', sessions, effort, samples);
    await measureCalls('stateless', stateless, effort, samples);
    for (const one of sessions) recordMemory('http/after', one, samples);
  } finally {
    await Promise.all([...sessions, ...stateless].map(({ client }) => client.close()));
    await Promise.all(sessions.map(({ running }) => end(running, 'SIGTERM')));
  }
}

async function measureCalls(
  door: string,
  opened: readonly Opened[],
  effort: CallEffort,
  samples: Samples,
): Promise<void> {
  for (const { client, contender } of opened) {
    await callTools([client], contender.calls, { count: effort.warmUp, atOnce: MANY_AT_ONCE });
  }
  await roundRobin(effort.rounds, opened, async ({ contender: { id, calls }, running, client }) => {
    const cpuBefore = cpuOf(running);
    const single = await callTools([client], calls, { count: effort.calls, atOnce: 1 });
    const cpuAfter = cpuOf(running);
    samples.add(`${door}/p50`, id, percentile(single.latencies, 0.5));
    samples.add(`${door}/p99`, id, percentile(single.latencies, 0.99));
    samples.add(`${door}/rate-1`, id, single.callsPerSecond);
    if (cpuBefore !== undefined && cpuAfter !== undefined) {
      samples.add(`${door}/cpu`, id, ((cpuAfter - cpuBefore) * 1000) / effort.calls);
    }
    const many = await callTools([client], calls, { count: effort.calls * 2, atOnce: MANY_AT_ONCE });
    samples.add(`${door}/rate-many`, id, many.callsPerSecond);
  });
}

function recordMemory(moment: string, { running, contender }: Opened, samples: Samples): void {
  const memory = memoryOf(running);
  samples.add(`${moment}/rss`, contender.id, memory?.rssMb);
  samples.add(`${moment}/private`, contender.id, memory?.privateMb);
}
