import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shakeHands } from './client.ts';
import { announced, end, start } from './process.ts';
import type { Measure, Samples } from './report.ts';
import { percentile } from './rounds.ts';
import { createStdioClient } from './stdio-client.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
const CONFIG = 'sources: { hook: { kind: webhook } }\n';
/** Unmeasured messages: code is compiled when it first runs. */
const FIRST = 20;

export const LIVE_MEASURES: Measure[] = [
  { id: 'live/p50', title: 'posted until its subscriber is told, median', unit: 'ms' },
  { id: 'live/p99', title: 'posted until its subscriber is told, 99 of 100 within', unit: 'ms' },
];

/** The built program: messages arrive over HTTP, and an agent behind a shim follows them. */
export async function measureLive(messages: number, samples: Samples): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-live-'));
  writeFileSync(join(home, 'config.yaml'), CONFIG, { mode: 0o600 });
  const env = { SWITCHBOARD_HOME: home };
  const server = start({ args: [CLI, 'serve', '--port', '0'], env });
  try {
    const url = await announced(server, /http:\/\/127\.0\.0\.1:\d+/);
    let told = () => {};
    const agent = createStdioClient(start({ args: [CLI, 'mcp'], env }), () => told());
    await shakeHands(agent);
    await agent.request('resources/subscribe', { uri: 'messages://hook/*' });
    const spent: number[] = [];
    for (let number = 0; number < FIRST + messages; number++) {
      const heard = new Promise<void>((resolve) => {
        told = resolve;
      });
      const startedAt = performance.now();
      await Promise.all([post(url, number), heard]);
      if (number >= FIRST) spent.push(performance.now() - startedAt);
    }
    samples.add('live/p50', 'ours', percentile(spent, 0.5));
    samples.add('live/p99', 'ours', percentile(spent, 0.99));
    await agent.close();
  } finally {
    await end(server, 'SIGTERM');
    rmSync(home, { recursive: true, force: true });
  }
}

async function post(url: string, number: number): Promise<void> {
  const response = await fetch(`${url}/api/v1/sources/hook/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat: 'builds', sender: 'ci', text: `Build ${number} is done`, id: `${number}` }),
  });
  if (!response.ok) throw new Error(`A message could not be posted: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
