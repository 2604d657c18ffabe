import type { ChildProcess } from 'node:child_process';
import { MinimalEventSource } from './event-source.ts';

/** What tests need of a client, for all versions of the SDK. */
export interface SdkClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<{ content?: unknown; isError?: boolean }>;
  readResource(what: { uri: string }): Promise<{ contents: { uri: string; text?: string }[] }>;
  ping(): Promise<unknown>;
  getServerVersion(): { name: string } | undefined;
  close(): Promise<void>;
}

export interface Command {
  command: string;
  args: string[];
  env: Record<string, string>;
}

interface Options {
  requestInit?: { headers: Record<string, string> };
}

/** A client of one version: how it is created, and which transports it supports. */
export interface SdkVersion {
  name: string;
  /** Whether its protocol version has a ping. */
  pings: boolean;
  /** It cannot send custom headers. */
  sendsNoToken?: boolean;
  client(): Promise<SdkClient>;
  stdio(command: Command): Promise<object>;
  streamable?(url: URL, options: Options): Promise<object>;
  sse?(url: URL, options: Options): Promise<object>;
}

interface Module {
  Client: new (info: object, options: object) => SdkClient;
  StdioClientTransport: new (command: Command) => object;
  StreamableHTTPClientTransport: new (url: URL, options: Options) => object;
  SSEClientTransport: new (url: URL, options: Options) => object;
}

// The types of these versions are incompatible; what the tests use of them is the same.
const load = async <Name extends keyof Module>(module: Promise<unknown>, name: Name): Promise<Module[Name]> =>
  ((await module) as Module)[name];

const INFO = { name: 'a test', version: '1.0.0' };

async function made(module: Promise<unknown>, options: object = { capabilities: {} }): Promise<SdkClient> {
  const Client = await load(module, 'Client');
  return new Client(INFO, options);
}

const modern = (name: string, pings: boolean, versionNegotiation: object): SdkVersion => ({
  name,
  pings,
  client: () => made(import('@modelcontextprotocol/client'), { capabilities: {}, versionNegotiation }),
  stdio: async (command) =>
    new (await load(import('@modelcontextprotocol/client/stdio'), 'StdioClientTransport'))(command),
  streamable: async (url, options) =>
    new (await load(import('@modelcontextprotocol/client'), 'StreamableHTTPClientTransport'))(url, options),
});

export const SDK_VERSIONS: readonly SdkVersion[] = [
  {
    name: 'SDK 1.0.4',
    pings: true,
    client: () => made(import('sdk-1-0/client/index.js')),
    stdio: async (command) => new (await load(import('sdk-1-0/client/stdio.js'), 'StdioClientTransport'))(command),
    sendsNoToken: true,
    async sse(url, options) {
      Object.assign(globalThis, { EventSource: MinimalEventSource });
      return new (await load(import('sdk-1-0/client/sse.js'), 'SSEClientTransport'))(url, options);
    },
  },
  {
    name: 'SDK 1.12.3',
    pings: true,
    client: () => made(import('sdk-1-12/client/index.js')),
    stdio: async (command) => new (await load(import('sdk-1-12/client/stdio.js'), 'StdioClientTransport'))(command),
    sse: async (url, options) => new (await load(import('sdk-1-12/client/sse.js'), 'SSEClientTransport'))(url, options),
    streamable: async (url, options) =>
      new (await load(import('sdk-1-12/client/streamableHttp.js'), 'StreamableHTTPClientTransport'))(url, options),
  },
  {
    name: 'SDK 1.17.5',
    pings: true,
    client: () => made(import('sdk-1-17/client/index.js')),
    stdio: async (command) => new (await load(import('sdk-1-17/client/stdio.js'), 'StdioClientTransport'))(command),
    sse: async (url, options) => new (await load(import('sdk-1-17/client/sse.js'), 'SSEClientTransport'))(url, options),
    streamable: async (url, options) =>
      new (await load(import('sdk-1-17/client/streamableHttp.js'), 'StreamableHTTPClientTransport'))(url, options),
  },
  {
    name: 'SDK 1.32.2',
    pings: true,
    client: () => made(import('sdk-1-32/client/index.js')),
    stdio: async (command) => new (await load(import('sdk-1-32/client/stdio.js'), 'StdioClientTransport'))(command),
    sse: async (url, options) => new (await load(import('sdk-1-32/client/sse.js'), 'SSEClientTransport'))(url, options),
    streamable: async (url, options) =>
      new (await load(import('sdk-1-32/client/streamableHttp.js'), 'StreamableHTTPClientTransport'))(url, options),
  },
  modern('SDK 2.4.0 as a client with sessions', true, { mode: 'legacy' }),
  modern('SDK 2.4.0 that finds out by itself', false, { mode: 'auto' }),
  modern('SDK 2.4.0 pinned to 2026-07-28', false, { mode: { pin: '2026-07-28' } }),
];

/** The exit of the program behind a stdio transport; called before the client is closed, awaited afterwards. */
export function exitOf(transport: object): Promise<{ code: number | null; signal: string | null }> {
  const { _process: child } = transport as { _process?: ChildProcess };
  if (!child) throw new Error('this transport has no process');
  // Older clients end their server by aborting it, which the child reports as an error before it exits.
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}
