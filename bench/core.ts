import { prepareContenders } from './support/contenders.ts';
import { callMeasures, measureHttp, measureStdio, memoryMeasures } from './support/measure-calls.ts';
import { crowdMeasures, measureCrowd } from './support/measure-crowd.ts';
import { measureStarts, START_MEASURES } from './support/measure-starts.ts';
import { runToEnd } from './support/process.ts';
import { createSamples, type Report, summarize, type Target } from './support/report.ts';

export const title = 'start-up, round trip, calls per second and memory, against the SDK alone';

/** Printed below the table. */
export const legend = [
  'ratio: embedded to the SDK alone, both with the same 30 tools',
  'as shipped: the product with its own tools, of which it calls its status',
  'SDK, relayed: behind a process that only passes bytes on: what a shim costs at least',
  'shim, and relayed: that process alone; what is behind it is not counted in memory and processor time',
];

const FULL = { starts: 20, calls: { rounds: 20, calls: 400, warmUp: 4_000 }, crowd: 50 };
const QUICK = { starts: 2, calls: { rounds: 2, calls: 50, warmUp: 50 }, crowd: 4 };

const TARGETS: readonly Target[] = [
  { measure: 'start/list', of: 'embedded', times: 'sdk', atMost: 0.7 },
  { measure: 'start/list', of: 'cold', times: 'sdk', atMost: 1 },
  { measure: 'start/list', of: 'shim', times: 'bare', atMost: 1.3 },
  { measure: 'start/list', of: 'configured', times: 'bare', atMost: 1.3 },
  { measure: 'stdio/p50', of: 'embedded', times: 'sdk', atMost: 1.2 },
  { measure: 'stdio/p50', of: 'shim', times: 'sdk', atMost: 2 },
  { measure: 'session/p50', of: 'embedded', times: 'sdk', atMost: 1.2 },
  { measure: 'stateless/p50', of: 'embedded', times: 'sdk', atMost: 1.2 },
  { measure: 'crowd/private', of: 'shim', atMost: 12 },
];

export async function run({ quick }: { quick: boolean }): Promise<Report> {
  const effort = quick ? QUICK : FULL;
  const samples = createSamples();
  const { bare, sdk, relay, embedded, shim, configured, cold, shipped } = prepareContenders();
  const all = [bare, sdk, embedded, shim, shipped];
  try {
    await measureStarts([...all, configured], cold, effort.starts, samples);
    await measureStdio([bare, sdk, relay, embedded, shim, shipped], effort.calls, samples);
    await measureHttp([bare, sdk, embedded, shipped], effort.calls, samples);
    await measureCrowd(shim, effort.crowd, { rounds: effort.calls.rounds, count: effort.calls.calls * 2 }, samples);
  } finally {
    await Promise.all([shim, cold].map(({ stop }) => runToEnd(stop)));
  }
  return summarize(samples, {
    contenders: [bare, sdk, relay, embedded, shim, configured, cold, shipped],
    measures: [
      ...START_MEASURES,
      ...callMeasures('stdio', 'stdio'),
      ...memoryMeasures('stdio', 'stdio'),
      ...callMeasures('session', 'HTTP, session'),
      ...callMeasures('stateless', 'HTTP, stateless'),
      ...memoryMeasures('http', 'HTTP'),
      ...crowdMeasures(effort.crowd),
    ],
    targets: TARGETS,
    ours: embedded.id,
    peer: sdk.id,
  });
}
