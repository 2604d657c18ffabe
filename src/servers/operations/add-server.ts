import { resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ServerInput } from '../config/server-input.ts';
import { parseServerLine } from '../draft/server-line.ts';
import { draftInput } from '../supervisor/draft-input.ts';
import { checkMayTrust } from './check-person.ts';
import { headersOf, limitsOf, patternsOf, serverOptions, variablesOf } from './server-options.ts';
import { asLine, ChangedServer, type ServersContext, toView } from './server-view.ts';

const KINDS = ['npm', 'pypi', 'docker', 'binary', 'http', 'sse', 'command'] as const;

const Input = z.strictObject({
  name: z.string().describe('Name of the server; the names of its tools begin with it.'),
  command: z
    .string()
    .max(10_000)
    .optional()
    .describe(
      'A whole command or address as documentation shows it: `npx -y PACKAGE`, `docker run … IMAGE`, `https://…`.',
    ),
  npm: z.string().optional().describe('npm package, run with npx.'),
  pypi: z.string().optional().describe('PyPI package, run with uvx.'),
  docker: z.string().optional().describe('Docker image.'),
  binary: z.string().optional().describe('Program: a path, or a name on the PATH.'),
  http: z.string().optional().describe('URL of a remote server (Streamable HTTP, or SSE where it is older).'),
  sse: z.string().optional().describe('URL of a remote server that speaks SSE only.'),
  ...serverOptions,
  disabled: z.boolean().default(false).describe('Add it without starting it.'),
  lazy: z.boolean().default(false).describe('Start it by the first call, not with the daemon.'),
  idle_stop_ms: z.int().min(1_000).optional().describe('Stop it after so many ms without a call.'),
  trusted: z.boolean().default(false).describe('Offer changed tools without a review.'),
  protocol: z.enum(['auto', 'sessions', 'stateless']).default('auto').describe('Era of the MCP protocol.'),
  per_session: z.boolean().default(false).describe('Start one process for each client session.'),
});

export const addServer = operation({
  cli: {
    path: 'servers add',
    positionals: ['name', 'args'],
    examples: [
      'switchboard servers add files --npm @modelcontextprotocol/server-filesystem -- ~/Documents',
      'switchboard servers add github --http https://api.githubcopilot.com/mcp/ --oauth',
      'switchboard servers add db --docker mcp/postgres --env PGHOST=localhost',
      'switchboard servers add mine --binary ./server.js --lazy',
      "switchboard servers add memory --command 'npx -y @modelcontextprotocol/server-memory'",
    ],
  },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Adds another MCP server, and starts it in the background.',
  input: Input,
  output: ChangedServer,
  async run(input, context: OperationContext & ServersContext) {
    await checkMayTrust(context, input.trusted);
    const given = toInput(input, context.origin?.cwd ?? '/');
    return toView(await context.create(given).catch((thrown: unknown) => Promise.reject(withOption(thrown, input))));
  },
  render: (server) => `Added ${asLine(server)}. Check with: switchboard servers show ${server.id}`,
});

function toInput(
  given: z.output<typeof Input>,
  cwd: string,
): ServerInput & { secrets?: Readonly<Record<string, string>> } {
  const { name, args = [], allow, deny } = given;
  const run = packageOf(given, cwd);
  return {
    ...run,
    ...limitsOf(given, cwd),
    name,
    enabled: !given.disabled,
    args: [...(run.args ?? []), ...args],
    env_vars: { ...run.env_vars, ...variablesOf(given) },
    headers: { ...run.headers, ...headersOf(given) },
    tools: {
      ...(allow === undefined ? {} : { allow: patternsOf(allow) }),
      ...(deny === undefined ? {} : { deny: patternsOf(deny) }),
    },
    start: given.lazy ? 'lazy' : 'eager',
    ...(given.idle_stop_ms === undefined ? {} : { idle_stop_ms: given.idle_stop_ms }),
    trusted: given.trusted,
    protocol: given.protocol,
    connection: given.per_session ? 'per_session' : 'shared',
  };
}

function packageOf(given: z.output<typeof Input>, cwd: string): ReturnType<typeof draftInput> {
  const kinds = KINDS.filter((kind) => given[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    throw new AppError('VALIDATION_ERROR', `Give one of ${KINDS.map((one) => `--${one}`).join(', ')}.`, {
      field: kinds[1] ?? 'npm',
    });
  }
  const identifier = given[kind] ?? '';
  if (kind === 'command') return draftInput(parseServerLine(identifier, { cwd }));
  if (kind === 'http' || kind === 'sse') {
    return { package: { type: 'http', identifier }, transport: { type: kind, url: identifier } };
  }
  // A path is relative to where the command was typed, not to where the daemon runs.
  const isPath = kind === 'binary' && identifier.includes('/') && !identifier.startsWith('~');
  return {
    package: { type: kind, identifier: isPath ? resolve(cwd, identifier) : identifier },
    transport: { type: 'stdio' },
  };
}

/** A wrong address is a wrong value of its option. */
function withOption(thrown: unknown, given: z.output<typeof Input>): unknown {
  if (!(thrown instanceof AppError) || thrown.field !== 'transport.url') return thrown;
  const option = KINDS.find((kind) => given[kind] !== undefined);
  const { code, message, hint } = thrown;
  return new AppError(code, message, {
    ...(option === undefined ? {} : { field: option }),
    ...(hint === undefined ? {} : { hint }),
    cause: thrown,
  });
}
