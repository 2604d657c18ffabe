import { apiAddress } from '../lib/api-address.ts';
import { type Command, type Field, type Input, refuseEmpty, UsageError } from './command.ts';
import type { CliComposition, ServeOptions } from './composition.ts';

const FIELDS: readonly Field[] = [
  {
    place: ['only'],
    names: ['only'],
    type: { kind: 'list', of: { kind: 'text' } },
    required: false,
    description: 'Serve only these capabilities.',
  },
  {
    place: ['read_only'],
    names: ['read-only'],
    type: { kind: 'flag' },
    required: false,
    description: 'Hide operations that write or send.',
  },
  {
    place: ['embedded'],
    names: ['embedded'],
    type: { kind: 'flag' },
    required: false,
    description: 'Run everything inside this process.',
  },
  {
    place: ['session'],
    names: ['session'],
    type: { kind: 'text' },
    required: false,
    hidden: true,
  },
  {
    place: ['port'],
    names: ['port'],
    type: { kind: 'number', whole: true, min: 0, max: 65_535 },
    required: false,
    description: 'Serve HTTP on this port; 0 means any free port.',
  },
  {
    place: ['host'],
    names: ['host'],
    type: { kind: 'text' },
    required: false,
    description: 'Address to listen on with --port. A public one requires a token.',
    fallback: '127.0.0.1',
  },
  {
    place: ['token'],
    names: ['token'],
    type: { kind: 'text' },
    required: false,
    description:
      'With --port: token that clients must send. With --api-url: token to send. Other users of this machine can see it: `auth.token` and SWITCHBOARD_API_TOKEN are safer.',
  },
  {
    place: ['api_url'],
    names: ['api-url'],
    type: { kind: 'text' },
    required: false,
    description: 'Use the Switchboard at this URL, such as http://host:3000.',
  },
];

/** `switchboard mcp`: the one command that is not an operation, because it is a door itself. */
export const mcpCommand: Command = {
  path: 'mcp',
  group: 'doors',
  description: 'Serves MCP on stdio, or on HTTP with --port. Assistants start it.',
  examples: [
    'switchboard mcp',
    'switchboard mcp --only chat,agentmail',
    'switchboard mcp --port 3000',
    'switchboard mcp --api-url http://host:3000',
  ],
  invalidInput: 'VALIDATION_ERROR',
  signature: () => ({ fields: FIELDS, positionals: [] }),
  check: checkCombination,
  run: serve,
};

function checkCombination(input: Input): void {
  refuseEmpty(mcpCommand, input);
  if (input.api_url !== undefined) return checkRemote(input);
  if (input.port !== undefined) return;
  const alone = given(input, ['host', 'token']);
  if (!alone) return;
  const others = alone.names[0] === 'token' ? '--port or --api-url' : '--port';
  throw new UsageError(`--${alone.names[0]} goes with ${others}.`, { command: mcpCommand, field: alone });
}

function checkRemote(input: Input): void {
  const url = String(input.api_url);
  const other = given(input, ['embedded', 'session', 'port', 'host', 'read_only']);
  if (other) {
    throw new UsageError(`--${other.names[0]} does not go with --api-url.`, { command: mcpCommand, field: other });
  }
  if (apiAddress(url)) return;
  const field = given(input, ['api_url']);
  throw new UsageError(`--api-url takes an address such as http://host:3000, not "${url}".`, {
    command: mcpCommand,
    ...(field ? { field } : {}),
  });
}

function given(input: Input, keys: readonly string[]): Field | undefined {
  return FIELDS.find(({ place: [key = ''] }) => keys.includes(key) && input[key] !== undefined);
}

/** Fields are checked by now; the types follow from FIELDS. */
interface McpInput {
  only?: readonly string[];
  read_only?: boolean;
  embedded?: boolean;
  session?: string;
  api_url?: string;
  port?: number;
  host?: string;
  token?: string;
}

async function serve(input: Input, composition: CliComposition): Promise<number> {
  const {
    only = [],
    read_only: readOnly = false,
    embedded = false,
    session,
    api_url: apiUrl,
    port,
    host = '127.0.0.1',
    token,
  }: McpInput = input;
  // Without other options the shim has already handled the line.
  if (apiUrl !== undefined) {
    throw new UsageError('With --api-url only --only, --token, --home and --json can be given.', {
      command: mcpCommand,
    });
  }
  const options: ServeOptions = { only, readOnly, ...(session === undefined ? {} : { session }) };
  if (port === undefined) return composition.serveStdio({ ...options, embedded });
  return composition.serveHttp({ ...options, port, host, ...(token === undefined ? {} : { token }) });
}
