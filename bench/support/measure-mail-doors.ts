import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateTmux, startTmux } from '../../tests/support/agentmail/tmux.ts';
import { type Client, shakeHands } from './client.ts';
import type { Place } from './mail-places.ts';
import { type Program, runToEnd, start } from './process.ts';
import type { Measure, Samples } from './report.ts';
import { roundRobin } from './rounds.ts';
import { createStdioClient } from './stdio-client.ts';

const AGENTMAIL = join(import.meta.dirname, '..', '..', 'dist', 'agentmail.js');
const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
const MESSAGE = 'x'.repeat(120);

export const DOOR_MEASURES: readonly Measure[] = [
  { id: 'process/send', title: 'a process for each call: send', unit: 'ms' },
  { id: 'process/receive', title: 'a process for each call: receive', unit: 'ms' },
  { id: 'mcp/send', title: 'over MCP: send', unit: 'ms' },
  { id: 'mcp/receive', title: 'over MCP: receive', unit: 'ms' },
];

/** The built program in two windows of a private tmux server. */
export async function measureMailDoors(
  place: Place,
  { processes, calls }: { processes: number; calls: number },
  samples: Samples,
): Promise<void> {
  const root = place.repository();
  const server = startTmux((end) => process.once('exit', end), { folder: root, window: 'a1' });
  const panes = { a1: server.first, a2: server.addWindow('a2') };
  try {
    await measureProcesses(server, root, panes, processes, samples);
    await measureMcp(server, root, panes, calls, samples);
  } finally {
    server.end();
  }
}

type Panes = Record<'a1' | 'a2', string>;

async function measureProcesses(
  server: PrivateTmux,
  cwd: string,
  panes: Panes,
  rounds: number,
  samples: Samples,
): Promise<void> {
  const as = (pane: string, ...args: string[]) => ({ args: [AGENTMAIL, ...args], env: server.env(pane), cwd });
  const contenders: { id: string; measures: readonly string[]; program: Program }[] = [
    { id: 'ours', measures: ['process/send'], program: as(panes.a1, 'send', 'a2', MESSAGE) },
    { id: 'ours', measures: ['process/receive'], program: as(panes.a2, 'receive') },
    { id: 'node', measures: ['process/send', 'process/receive'], program: { args: ['-e', '0'], cwd } },
  ];
  for (const { program } of contenders) await succeed(program);
  await roundRobin(rounds, contenders, async ({ id, measures, program }) => {
    const startedAt = performance.now();
    await succeed(program);
    for (const measure of measures) samples.add(measure, id, performance.now() - startedAt);
  });
}

async function succeed(program: Program): Promise<void> {
  const running = start(program);
  running.stdin.end();
  running.stdout.resume();
  running.stderr.pipe(process.stderr);
  const [code] = await once(running, 'exit');
  if (code !== 0) throw new Error(`${program.args.join(' ')} ended with ${code}`);
}

async function measureMcp(
  server: PrivateTmux,
  cwd: string,
  panes: Panes,
  calls: number,
  samples: Samples,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-home-'));
  const env = { SWITCHBOARD_HOME: home };
  const attach = (pane: string) =>
    createStdioClient(start({ args: [AGENTMAIL, 'mcp'], cwd, env: { ...server.env(pane), ...env } }));
  const clients = { a1: attach(panes.a1), a2: attach(panes.a2) };
  try {
    for (const client of Object.values(clients)) await shakeHands(client);
    await exchange(clients, Math.ceil(calls / 10));
    for (const { sending, receiving } of await exchange(clients, calls)) {
      samples.add('mcp/send', 'ours', sending);
      samples.add('mcp/receive', 'ours', receiving);
    }
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close()));
    await runToEnd({ args: [CLI, 'daemon', 'stop'], env });
    rmSync(home, { recursive: true, force: true });
  }
}

async function exchange({ a1, a2 }: Record<'a1' | 'a2', Client>, count: number) {
  const times: { sending: number; receiving: number }[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    await a1.request('tools/call', { name: 'send', arguments: { recipient: 'a2', message: MESSAGE } });
    const sentAt = performance.now();
    await a2.request('tools/call', { name: 'receive', arguments: {} });
    times.push({ sending: sentAt - startedAt, receiving: performance.now() - sentAt });
  }
  return times;
}
