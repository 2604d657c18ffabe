import { type Client, shakeHands } from './support/client.ts';
import { createSessionClient, createStatelessClient } from './support/http-client.ts';
import { announced, cpuOf, end, memoryOf, type Running, start } from './support/process.ts';
import { type Contender, prepareContenders } from './support/programs.ts';
import { createSamples, type Measure, type Row, type Samples, summarize } from './support/report.ts';
import { callTools, percentile, roundRobin } from './support/rounds.ts';
import { createStdioClient } from './support/stdio-client.ts';

export const title = 'start-up, round trip, calls per second and memory of the MCP door, against the SDK alone';

interface Effort {
  starts: number;
  rounds: number;
  calls: number;
  warmUp: number;
}

const FULL: Effort = { starts: 20, rounds: 20, calls: 400, warmUp: 4_000 };
const QUICK: Effort = { starts: 2, rounds: 2, calls: 50, warmUp: 50 };

const MANY_AT_ONCE = 32;

const MEASURES: readonly Measure[] = [
  { id: 'start/initialize', title: 'stdio: spawn to answered initialize', unit: 'ms' },
  { id: 'start/list', title: 'stdio: spawn to answered tools/list', unit: 'ms', target: 0.7 },
  { id: 'start/cpu', title: 'stdio: processor time until then', unit: 'ms' },
  ...doorMeasures('stdio', 'stdio', 1.2),
  ...memoryMeasures('stdio', 'stdio'),
  ...doorMeasures('session', 'HTTP, session', 1.2),
  ...doorMeasures('stateless', 'HTTP, stateless', 1.2),
  ...memoryMeasures('http', 'HTTP'),
];

export async function run({ quick }: { quick: boolean }): Promise<{ contestants: readonly Contender[]; rows: Row[] }> {
  const effort = quick ? QUICK : FULL;
  const samples = createSamples();
  const contenders = prepareContenders();
  await measureStarts(contenders, effort, samples);
  await measureStdio(contenders, effort, samples);
  await measureHttp(contenders, effort, samples);
  return {
    contestants: contenders,
    rows: summarize(MEASURES, contenders, samples, { ours: 'ours', peer: 'sdk' }),
  };
}

/** A first, unmeasured start makes the home and fills the disk cache. */
async function measureStarts(contenders: readonly Contender[], { starts }: Effort, samples: Samples): Promise<void> {
  await roundRobin(starts + 1, contenders, async ({ id, stdio }, round) => {
    const startedAt = performance.now();
    const running = start(stdio);
    const client = createStdioClient(running);
    await shakeHands(client);
    const shaken = performance.now() - startedAt;
    await client.request('tools/list');
    const listed = performance.now() - startedAt;
    const cpu = cpuOf(running);
    await client.close();
    if (round === 0) return;
    samples.add('start/initialize', id, shaken);
    samples.add('start/list', id, listed);
    samples.add('start/cpu', id, cpu);
  });
}

interface Opened {
  contender: Contender;
  running: Running;
  client: Client;
}

async function measureStdio(contenders: readonly Contender[], effort: Effort, samples: Samples): Promise<void> {
  const opened: Opened[] = [];
  try {
    for (const contender of contenders) {
      const running = start(contender.stdio);
      const client = createStdioClient(running);
      opened.push({ contender, running, client });
      await shakeHands(client);
      await client.request('tools/list');
      recordMemory('stdio/start', opened.at(-1), samples);
    }
    await measureDoor('stdio', opened, effort, samples);
    for (const one of opened) recordMemory('stdio/after', one, samples);
  } finally {
    await Promise.all(opened.map(({ client }) => client.close()));
  }
}

async function measureHttp(contenders: readonly Contender[], effort: Effort, samples: Samples): Promise<void> {
  const started: { contender: Contender; running: Running }[] = [];
  const clients: Client[] = [];
  try {
    const sessions: Opened[] = [];
    const stateless: Opened[] = [];
    for (const contender of contenders) {
      const running = start(contender.http);
      started.push({ contender, running });
      const url = await announced(running, /http:\/\/127\.0\.0\.1:\d+/);
      const client = createSessionClient(url + contender.paths.session);
      const statelessClient = createStatelessClient(url + contender.paths.stateless);
      clients.push(client, statelessClient);
      sessions.push({ contender, running, client });
      stateless.push({ contender, running, client: statelessClient });
      await shakeHands(client);
      await client.request('tools/list');
      await statelessClient.request('tools/list');
      recordMemory('http/start', sessions.at(-1), samples);
    }
    await measureDoor('session', sessions, effort, samples);
    await measureDoor('stateless', stateless, effort, samples);
    for (const one of sessions) recordMemory('http/after', one, samples);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(started.map(({ running }) => end(running, 'SIGTERM')));
  }
}

async function measureDoor(door: string, opened: readonly Opened[], effort: Effort, samples: Samples): Promise<void> {
  for (const { client, contender } of opened) {
    await callTools(client, contender.calls, { count: effort.warmUp, atOnce: MANY_AT_ONCE });
  }
  await roundRobin(effort.rounds, opened, async ({ contender: { id, calls }, running, client }) => {
    const before = cpuOf(running) ?? Number.NaN;
    const single = await callTools(client, calls, { count: effort.calls, atOnce: 1 });
    samples.add(`${door}/p50`, id, percentile(single.latencies, 0.5));
    samples.add(`${door}/p99`, id, percentile(single.latencies, 0.99));
    samples.add(`${door}/rate-1`, id, single.callsPerSecond);
    samples.add(`${door}/cpu`, id, ((cpuOf(running) ?? Number.NaN) - before) * (1000 / effort.calls));
    const many = await callTools(client, calls, { count: effort.calls * 2, atOnce: MANY_AT_ONCE });
    samples.add(`${door}/rate-many`, id, many.callsPerSecond);
  });
}

function recordMemory(moment: string, one: Opened | undefined, samples: Samples): void {
  if (!one) return;
  const memory = memoryOf(one.running);
  samples.add(`${moment}/rss`, one.contender.id, memory?.rssMb);
  samples.add(`${moment}/private`, one.contender.id, memory?.privateMb);
}

function doorMeasures(id: string, door: string, target: number): Measure[] {
  return [
    { id: `${id}/p50`, title: `${door}: round trip p50`, unit: 'µs', target },
    { id: `${id}/p99`, title: `${door}: round trip p99`, unit: 'µs' },
    { id: `${id}/cpu`, title: `${door}: processor time of a call`, unit: 'µs' },
    { id: `${id}/rate-1`, title: `${door}: calls, 1 at once`, unit: '/s' },
    { id: `${id}/rate-many`, title: `${door}: calls, ${MANY_AT_ONCE} at once`, unit: '/s' },
  ];
}

function memoryMeasures(id: string, door: string): Measure[] {
  return ['start', 'after'].flatMap((moment) => {
    const when = moment === 'start' ? 'after start' : 'after the calls';
    return [
      { id: `${id}/${moment}/rss`, title: `${door}: memory ${when}`, unit: 'MB' as const },
      { id: `${id}/${moment}/private`, title: `${door}: private memory ${when}`, unit: 'MB' as const },
    ];
  });
}
