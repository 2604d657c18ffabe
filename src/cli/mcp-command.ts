import { type Command, type Field, type Input, UsageError } from './command.ts';
import type { CliComposition, ServeOptions } from './composition.ts';

const FIELDS: readonly Field[] = [
  {
    place: ['only'],
    names: ['only'],
    type: { kind: 'list', of: { kind: 'text' } },
    required: false,
    description: 'Serve just these capabilities.',
  },
  {
    place: ['read_only'],
    names: ['read-only'],
    type: { kind: 'flag' },
    required: false,
    description: 'Hide whatever writes or sends.',
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
    description: 'Serve on HTTP instead; 0 takes any free port.',
  },
  {
    place: ['host'],
    names: ['host'],
    type: { kind: 'text' },
    required: false,
    description: 'Listen there; only with --port. An address that others reach takes a token.',
    fallback: '127.0.0.1',
  },
  {
    place: ['token'],
    names: ['token'],
    type: { kind: 'text' },
    required: false,
    description: 'Clients must send it; only with --port. Others on this machine can read it: `auth.token` is safer.',
  },
];

/** `switchboard mcp`: the one command that is no operation, because it is a door itself. */
export const mcpCommand: Command = {
  path: 'mcp',
  group: 'doors',
  description: 'Serves MCP on standard input and output, or on HTTP with --port. Assistants start it.',
  examples: ['switchboard mcp', 'switchboard mcp --only chat,email', 'switchboard mcp --port 3000'],
  invalidInput: 'VALIDATION_ERROR',
  signature: () => ({ fields: FIELDS, positionals: [] }),
  check: checkCombination,
  run: serve,
};

function checkCombination(input: Input): void {
  if (input.port !== undefined) return;
  const alone = FIELDS.find(({ place: [key = ''] }) => ['host', 'token'].includes(key) && input[key] !== undefined);
  if (alone) throw new UsageError(`--${alone.names[0]} goes with --port.`, { command: mcpCommand, field: alone });
}

/** Fields are checked by now; the types follow from FIELDS. */
interface McpInput {
  only?: readonly string[];
  read_only?: boolean;
  session?: string;
  port?: number;
  host?: string;
  token?: string;
}

function serve(input: Input, composition: CliComposition): Promise<number> {
  const { only = [], read_only: readOnly = false, session, port, host = '127.0.0.1', token }: McpInput = input;
  const options: ServeOptions = { only, readOnly, ...(session === undefined ? {} : { session }) };
  if (port === undefined) return composition.serveStdio(options);
  return composition.serveHttp({ ...options, port, host, ...(token === undefined ? {} : { token }) });
}
