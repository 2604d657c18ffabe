import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { ServerConfig } from '../../../src/domain/server-config.ts';
import { connectUpstream } from '../../../src/servers/upstream/connect.ts';
import { createStdioTransport } from '../../../src/servers/upstream/stdio-transport.ts';
import type { Upstream, UpstreamListener, UpstreamTransport } from '../../../src/servers/upstream/upstream.ts';

const CLIENT_INFO = { name: 'switchboard-test', version: '1.0.0' };
export const NEVER = new AbortController().signal;

export type RecordingListener = ReturnType<typeof createRecordingListener>;

/** Records what a server sends by itself, and lets tests wait for it. */
export function createRecordingListener(answers: Record<string, JsonObject> = {}) {
  const events: { kind: string; value: unknown }[] = [];
  const waiting = new Set<() => void>();
  const note = (kind: string, value: unknown) => {
    events.push({ kind, value });
    for (const wake of waiting) wake();
  };
  const listener: UpstreamListener = {
    onListChanged: (list) => note('list', list),
    onResourceUpdated: (uri) => note('updated', uri),
    onLog: (params) => note('log', params),
    onNoise: (text) => note('noise', text),
    async onQuestion(method) {
      note('question', method);
      const answer = answers[method];
      if (!answer) throw new Error('no answer');
      return answer;
    },
  };
  return {
    ...listener,
    of: (kind: string) => events.filter((event) => event.kind === kind).map(({ value }) => value),
    /** Resolves when something of this kind was recorded. */
    async first(kind: string): Promise<unknown> {
      for (;;) {
        const found = events.find((event) => event.kind === kind);
        if (found) return found.value;
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
  };
}

export interface ConnectTo {
  transport: UpstreamTransport;
  listener?: UpstreamListener;
  protocol?: ServerConfig['protocol'];
  handshakeTimeoutMs?: number;
  signal?: AbortSignal;
}

export function connectTo({ listener = createRecordingListener(), protocol = 'auto', ...rest }: ConnectTo) {
  return connectUpstream({
    listener,
    protocol,
    clientInfo: CLIENT_INFO,
    handshakeTimeoutMs: 60_000,
    signal: NEVER,
    ...rest,
  });
}

/** Starts a program of this folder. */
function startProgram(file: string, args: readonly string[]): ChildProcess & { stdin: object; stdout: object } {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] }) as never;
}

export interface ProgramOptions extends Omit<ConnectTo, 'transport'> {
  maxMessageBytes?: number;
}

/** A connection to a program of this folder, over stdio. */
export async function connectToProgram(file: string, args: readonly string[], options: ProgramOptions = {}) {
  const { maxMessageBytes, ...rest } = options;
  const { child, transport } = stdioTransportTo(file, args, maxMessageBytes);
  const upstream = await connectTo({ transport, ...rest });
  return { upstream, child, [Symbol.asyncDispose]: () => endProgram(child, upstream) };
}

function stdioTransportTo(file: string, args: readonly string[], maxMessageBytes: number | undefined) {
  const child = startProgram(file, args);
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the program has no streams');
  const size = maxMessageBytes === undefined ? {} : { maxMessageBytes };
  return { child, transport: createStdioTransport({ stdin, stdout, ...size }) };
}

async function endProgram(child: ChildProcess, upstream: Upstream): Promise<void> {
  await upstream.close();
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Starts a program that prints its URL. */
export async function startHttpProgram(file: string, args: readonly string[]) {
  const child = startProgram(file, args);
  const [line] = (await once(child.stdout as never, 'data')) as [Buffer];
  return {
    url: line.toString('utf8').trim(),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
