import { resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { BEARER_SECRET } from '../config/define-server.ts';
import type { ServerInput } from '../config/server-input.ts';
import { parseServerLine } from '../draft/server-line.ts';
import { draftInput } from '../supervisor/draft-input.ts';
import { checkMayTrust } from './check-person.ts';
import { asLine, ChangedServer, type ServersContext, toView } from './server-view.ts';

const KINDS = ['npm', 'pypi', 'docker', 'binary', 'http', 'sse', 'command'] as const;

/** One, or many: a value with a comma in it stays whole. */
const many = () => z.union([z.string(), z.array(z.string())]).optional();

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
  args: z.array(z.string()).optional().describe('Arguments of the server, after `--`.'),
  env: many().describe('Environment variable NAME=VALUE; repeated for more.'),
  header: many().describe("HTTP header 'NAME: VALUE' of a remote server; repeated for more."),
  cwd: z.string().optional().meta({ format: 'path', description: 'Working directory of its process.' }),
  bearer: z
    .boolean()
    .default(false)
    .describe(`Sign in with a bearer token, stored by \`servers secret NAME ${BEARER_SECRET}\`.`),
  oauth: z.boolean().default(false).describe('Sign in with OAuth, by `servers login NAME`.'),
  client_id: z.string().optional().describe('Id of your OAuth client, where the server does not register one.'),
  disabled: z.boolean().default(false).describe('Add it without starting it.'),
  lazy: z.boolean().default(false).describe('Start it by the first call, not with the daemon.'),
  idle_stop_ms: z.int().min(1_000).optional().describe('Stop it after so many ms without a call.'),
  trusted: z.boolean().default(false).describe('Offer changed tools without a review.'),
  allow: many().describe('Offer only these tools; patterns with `*`.'),
  deny: many().describe('Do not offer these tools; patterns with `*`.'),
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
    return toView(await context.create(toInput(input, context.origin?.cwd ?? '/')));
  },
  render: (server) => `Added ${asLine(server)}. See how it is: switchboard servers show ${server.id}`,
});

function toInput(
  given: z.output<typeof Input>,
  cwd: string,
): ServerInput & { secrets?: Readonly<Record<string, string>> } {
  const { name, args = [], env, header, allow, deny } = given;
  const run = packageOf(given, cwd);
  const tools = {
    ...(allow === undefined ? {} : { allow: [allow].flat() }),
    ...(deny === undefined ? {} : { deny: [deny].flat() }),
  };
  return {
    ...run,
    name,
    enabled: !given.disabled,
    args: [...(run.args ?? []), ...args],
    ...(given.cwd === undefined ? {} : { cwd: resolve(cwd, given.cwd) }),
    env_vars: { ...run.env_vars, ...pairsOf('env', env, '=') },
    headers: { ...run.headers, ...pairsOf('header', header, ':') },
    ...authOf(given),
    tools,
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
      field: 'package.identifier',
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

function authOf({ bearer, oauth, client_id: clientId }: z.output<typeof Input>): Pick<ServerInput, 'auth'> {
  if (bearer) return { auth: { type: 'bearer' } };
  if (!oauth && clientId === undefined) return {};
  return { auth: { type: 'oauth', ...(clientId === undefined ? {} : { client_id: clientId }) } };
}

function pairsOf(field: string, given: string | string[] | undefined, separator: string): Record<string, string> {
  const entries = [given ?? []].flat().map((text) => {
    const at = text.indexOf(separator);
    if (at < 1) {
      const form = separator === '=' ? 'NAME=VALUE' : "'NAME: VALUE'";
      throw new AppError('VALIDATION_ERROR', `--${field} must be ${form}.`, { field });
    }
    return [text.slice(0, at).trim(), separator === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)] as const;
  });
  return Object.fromEntries(entries);
}
