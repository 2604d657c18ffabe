import type { Assistant } from '../domain/assistant.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { isRecord } from '../lib/is-record.ts';
import type { HttpLaunch, Launch, StdioLaunch } from './launch.ts';

/** How a program writes an entry of its configuration. */
interface EntryShape {
  stdio(launch: StdioLaunch): JsonObject;
  /** Missing where the program takes no addresses from its file. */
  http?(launch: HttpLaunch): JsonObject;
  /** The name of the variables in its entry. */
  variables: string;
  /** Where the rest of the entry is, if that is not the entry itself. */
  inside?: string;
}

type JsonAssistant = Exclude<Assistant, 'codex'>;

const plain = ({ command, args }: StdioLaunch): JsonObject => ({ command, args: [...args] });
const address = ({ url, headers }: HttpLaunch): JsonObject => ({ url, headers: { ...headers } });
const typed: EntryShape = {
  variables: 'env',
  stdio: (launch) => ({ type: 'stdio', ...plain(launch) }),
  http: (launch) => ({ type: 'http', ...address(launch) }),
};

const SHAPES: Readonly<Record<JsonAssistant, EntryShape>> = {
  'claude-code': typed,
  'claude-desktop': { variables: 'env', stdio: plain },
  vscode: typed,
  cursor: { variables: 'env', stdio: plain, http: address },
  gemini: { variables: 'env', stdio: plain, http: (launch) => ({ type: 'http', ...address(launch) }) },
  qwen: {
    variables: 'env',
    stdio: plain,
    http: ({ url, headers }) => ({ httpUrl: url, headers: { ...headers } }),
  },
  copilot: {
    variables: 'env',
    stdio: (launch) => ({ type: 'local', ...plain(launch), tools: ['*'] }),
    http: (launch) => ({ type: 'http', ...address(launch), tools: ['*'] }),
  },
  opencode: {
    variables: 'environment',
    stdio: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
    http: (launch) => ({ type: 'remote', ...address(launch) }),
  },
  cline: {
    variables: 'env',
    inside: 'transport',
    stdio: (launch) => ({ type: 'stdio', ...plain(launch) }),
    http: (launch) => ({ type: 'streamableHttp', ...address(launch) }),
  },
  continue: {
    variables: 'env',
    stdio: (launch) => ({ type: 'stdio', ...plain(launch) }),
    http: ({ url, headers }) => ({ type: 'streamable-http', url, requestOptions: { headers: { ...headers } } }),
  },
  droid: typed,
  // Older versions require `source`, newer ones ignore it.
  zed: { variables: 'env', stdio: (launch) => ({ source: 'custom', ...plain(launch) }), http: address },
  windsurf: {
    variables: 'env',
    stdio: plain,
    http: ({ url, headers }) => ({ serverUrl: url, headers: { ...headers } }),
  },
};

/** Keys that say how a server is reached, in the entries of any of the programs. */
const REACHED_BY = ['type', 'command', 'args', 'url', 'httpUrl', 'serverUrl', 'headers', 'requestOptions', 'source'];

export function takesAddresses(assistant: Assistant): boolean {
  return assistant === 'codex' || SHAPES[assistant].http !== undefined;
}

/** The section of the file that has the entries, by their names. */
export function sectionOf(assistant: JsonAssistant): string {
  if (assistant === 'vscode') return 'servers';
  if (assistant === 'opencode') return 'mcp';
  return assistant === 'zed' ? 'context_servers' : 'mcpServers';
}

/** The entry. Keys that the user added to ours are kept, such as the tools that need no approval. */
export function entryOf(assistant: JsonAssistant, launch: Launch, existing?: Json): JsonObject {
  const { inside } = SHAPES[assistant];
  const before = isRecord(existing) ? existing : {};
  if (inside === undefined) return reached(SHAPES[assistant], launch, before);
  const within = before[inside];
  return { ...before, [inside]: reached(SHAPES[assistant], launch, isRecord(within) ? within : {}) };
}

function reached({ stdio, http, variables }: EntryShape, launch: Launch, before: JsonObject): JsonObject {
  const others = Object.entries(before).filter(([key]) => key !== variables && !REACHED_BY.includes(key));
  const kept = Object.fromEntries(others);
  if (launch.kind === 'http') return { ...http?.(launch), ...kept };
  const { SWITCHBOARD_HOME: _, ...own } = isRecord(before[variables]) ? before[variables] : {};
  const all = { ...own, ...launch.env };
  return { ...stdio(launch), ...kept, ...(Object.keys(all).length === 0 ? {} : { [variables]: all }) };
}
