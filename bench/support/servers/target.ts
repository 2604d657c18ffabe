import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuOf, end, memoryOf, type Running, start } from '../process.ts';
import type { Contender } from './contender.ts';
import { openSessionWire, openStatelessWire } from './http-wire.ts';
import { kill, processesOf } from './processes.ts';
import { openSseWire } from './sse-wire.ts';
import { openStdioWire } from './stdio-wire.ts';
import type { Wire } from './wire.ts';

/** A contender that runs, with its list of tools complete. */
export interface Target {
  contender: Contender;
  wire: Wire;
  /** Milliseconds from its start to the complete list. */
  listedMs: number;
  /** Milliseconds of processor time. */
  cpu(): { gateway: number | undefined; upstream: number | undefined };
  /** Of all processes of the gateway. */
  rssMb(): number | undefined;
  close(): Promise<void>;
}

const START_MS = 60_000;
/** A port, or an incomplete list, is tried again after so long, then more and more rarely: each attempt is work, too. */
const RETRY_MS = 5;
const RETRY_GROWTH = 1.1;
let marks = 0;

export async function startTarget(
  contender: Contender,
  echo: string,
  given: { upstreams: number; isKnown?: boolean; retryMs?: number },
): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  marks += 1;
  const mark = `BENCH_TARGET=${process.pid}-${marks}`;
  const port = await freePort();
  // A server that is measured directly has none behind it.
  const behind = contender.kind === 'direct' ? '' : echo;
  const program = contender.launch({ isKnown: false, ...given, port, folder });
  const startedAt = performance.now();
  const running = start({ ...program, env: { ...program.env, BENCH_TARGET: mark.slice('BENCH_TARGET='.length) } });
  const said = contender.door === 'stdio' ? () => '' : lastWords(running);

  async function close(): Promise<void> {
    const all = processesOf(mark, behind);
    await end(running, 'SIGTERM');
    // Daemons that were started by it, and servers that it has left running.
    kill(all);
    kill(processesOf(mark, behind));
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  try {
    const wire = await untilReady(running, given.retryMs, () => openWire(contender, running, port));
    const tool = await untilReady(running, given.retryMs, () => echoTool(wire, given.upstreams));
    const listedMs = performance.now() - startedAt;
    wire.useTool(tool);
    const processes = processesOf(mark, behind);
    return {
      ...{ contender, wire, listedMs },
      cpu: () => ({ gateway: cpuOfAll(processes.gateway), upstream: cpuOfAll(processes.upstream) }),
      rssMb: () => sumOf(processesOf(mark, behind).gateway, (pid) => memoryOf({ pid })?.rssMb),
      async close() {
        await wire.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw new Error(`${contender.title}: ${error instanceof Error ? error.message : error} ${said()}`, {
      cause: error,
    });
  }
}

function openWire({ door, path = '/mcp' }: Contender, running: Running, port: number): Promise<Wire> | Wire {
  switch (door) {
    case 'stdio':
      return openStdioWire(running);
    case 'session':
      return openSessionWire(port, path);
    case 'stateless':
      return openStatelessWire(port, path);
    case 'sse':
      return openSseWire(port, path);
  }
}

/** The name of the first server's echo, once the tools of all servers are listed. */
async function echoTool(wire: Wire, upstreams: number): Promise<string> {
  const { tools } = (await wire.request('tools/list')) as { tools: { name: string }[] };
  const found = Array.from({ length: upstreams }, (_, number) =>
    tools.find(({ name }) => name === `echo_s${number}` || name.endsWith(`_echo_s${number}`)),
  );
  const [first] = found;
  if (!first || found.includes(undefined)) throw new Error('Its list of tools is not complete.');
  return first.name;
}

/** Tries until it succeeds, the program has ended, or it takes too long. */
async function untilReady<T>(running: Running, firstMs = RETRY_MS, attempt: () => Promise<T> | T): Promise<T> {
  const giveUpAt = performance.now() + START_MS;
  for (let waitMs = firstMs; ; waitMs *= RETRY_GROWTH) {
    try {
      return await attempt();
    } catch (error) {
      if (running.exitCode !== null || performance.now() > giveUpAt) throw error;
      await delay(waitMs);
    }
  }
}

function lastWords(running: Running): () => string {
  let text = '';
  for (const stream of [running.stdout, running.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-1_000);
    });
  }
  return () => text;
}

function cpuOfAll(pids: readonly number[]): number | undefined {
  return sumOf(pids, (pid) => cpuOf({ pid }));
}

function sumOf(pids: readonly number[], of: (pid: number) => number | undefined): number | undefined {
  return pids.reduce<number | undefined>((sum, pid) => {
    const value = of(pid);
    return value === undefined ? sum : (sum ?? 0) + value;
  }, undefined);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
