import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSamples, type Report, summarize } from './support/report.ts';
import { ownContenders } from './support/servers/contenders.ts';
import { CALL_MEASURES, measureCalls } from './support/servers/measure-calls.ts';
import { measureMemory, measureStarts, startMeasures } from './support/servers/measure-starts.ts';
import { prepareHomes } from './support/servers/our-homes.ts';
import { installPeers, peerContenders } from './support/servers/peers.ts';
import { groupOf, serverTargets } from './support/servers/targets.ts';
import { createTolerance } from './support/servers/tolerance.ts';

export const title = 'other MCP servers behind us, against the same servers directly, relays and other gateways';

/** Printed below the table. */
export const legend = [
  'one server, or many, on stdio behind each; all answers are compared, and no SDK is in the client',
  'direct: the server itself on the SDK; HTTP, sessions has one server object for each session, the others one for each request',
  'relay: the shortest program that passes calls on, with the SDK on both sides, or without it (raw)',
  'start: from the start of the program to the complete list of tools; the shim starts a daemon, too',
  'cached: the same where it was started before; the servers themselves are started again',
  'CPU: of the gateway for 1,000 calls, 1 or 64 at once; RSS: of all processes of the gateway, idle; both without the servers',
];

const FULL = {
  starts: { rounds: 5, firstStarts: 1, many: 10 },
  calls: { rounds: 12, calls: 400, burstMs: 400, warmUp: 3_000 },
};
const QUICK = {
  starts: { rounds: 1, firstStarts: 0, many: 2 },
  calls: { rounds: 1, calls: 20, burstMs: 20, warmUp: 20 },
};

/** A quick run is without the gateways of others, and without the starts of those that are not ours. */
export async function run({ quick }: { quick: boolean }): Promise<Report> {
  const effort = quick ? QUICK : FULL;
  const samples = createSamples();
  const { tolerate, failures } = createTolerance();
  const folder = buildPrograms();
  const file = (name: string) => join(folder, name);
  const echo = file('echo-stdio.mjs');
  if (!quick) installPeers();
  const own = ownContenders(file, await prepareHomes(folder, echo, [1, effort.starts.many]));
  const contenders = [...own, ...(quick ? [] : peerContenders(echo))];
  const groups = Object.values(Object.groupBy(contenders, groupOf)).map((group = []) => group);
  for (const group of groups) await measureCalls(group, { ...effort.calls, echo, tolerate }, samples);
  const started = quick ? contenders.filter(({ kind }) => kind === 'ours') : contenders;
  await measureStarts(started, { ...effort.starts, echo, tolerate }, samples);
  await measureMemory(
    started,
    { rounds: Math.min(2, effort.starts.rounds), many: effort.starts.many, echo, tolerate },
    samples,
  );
  const measures = [...startMeasures(effort.starts.many), ...CALL_MEASURES];
  return summarize(samples, {
    contenders: groups.flat().map((one) => ({ ...one, note: noteOf(failures.get(one.id)) })),
    measures,
    targets: serverTargets(contenders, measures, samples),
    layout: 'contenders in rows',
  });
}

function noteOf(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : `not measured: ${reason}`;
}

/** Into a folder that is removed when this process ends; inside node_modules, so that the programs find their packages. */
function buildPrograms(): string {
  const cache = join(import.meta.dirname, '..', 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const script = join(import.meta.dirname, 'support', 'servers', 'build.mjs');
  const { status } = spawnSync(process.execPath, [script, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('What is to be measured could not be built.');
  return folder;
}
