import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { ConfiguredValue, ServerConfig } from '../../domain/server-config.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { GivenValue, ServerInput } from '../config/server-input.ts';
import { checkMayTrust } from './check-person.ts';
import { headersOf, limitsOf, patternsOf, serverOptions, variablesOf } from './server-options.ts';
import { asLine, ChangedServer, ServerRef, type ServersContext, toView } from './server-view.ts';

const Input = z.strictObject({
  id: ServerRef,
  ...serverOptions,
  args: serverOptions.args.describe('Arguments of the server, after `--`, instead of the former ones.'),
  unset: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Remove this variable or header, with its secret.'),
  allow: serverOptions.allow.describe("Offer only these tools; patterns with `*`; '' for all."),
  deny: serverOptions.deny.describe("Do not offer these tools; patterns with `*`; '' for none."),
  lazy: z.boolean().optional().describe('Start it by the first call; --no-lazy: with the daemon.'),
  idle_stop_ms: z
    .int()
    .min(0)
    .max(86_400_000)
    .optional()
    .describe('Stop it after so many ms without a call; 0: never.'),
  trusted: z.boolean().optional().describe('Offer changed tools without a review; --no-trusted: with one.'),
  protocol: z.enum(['auto', 'sessions', 'stateless']).optional().describe('Era of the MCP protocol.'),
  per_session: z
    .boolean()
    .optional()
    .describe('Start one process for each client session; --no-per-session: one for all.'),
});
type Given = z.output<typeof Input>;

export const changeServer = operation({
  cli: {
    path: 'servers update',
    positionals: ['id', 'args'],
    examples: [
      "switchboard servers update github --allow 'get_*' --deny '*_secret'",
      'switchboard servers update db --env PGHOST=localhost --unset PGPORT',
      'switchboard servers update files -- ~/Documents ~/Pictures',
      'switchboard servers update files --lazy --idle-stop-ms 600000',
    ],
  },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  deadlineMs: 60_000,
  description:
    'Changes the configuration of another MCP server; what is not given stays as it is. One that runs is started again.',
  input: Input,
  output: ChangedServer,
  async run(input, context: OperationContext & ServersContext) {
    const server = await context.servers.find(input.id);
    const config = server.config();
    if (!config.trusted) await checkMayTrust(context, input.trusted);
    const changes = changesOf(input, config, context.origin?.cwd ?? '/');
    if (Object.keys(changes).length === 0) {
      throw new AppError('VALIDATION_ERROR', 'Give at least one option, or arguments after `--`.', { field: 'id' });
    }
    const changed = await context.update(server, changes);
    await context.deleteSecrets(changed, secretsOf(input, config));
    return toView(changed);
  },
  render: asLine,
});

function changesOf(given: Given, config: ServerConfig, cwd: string): ServerInput {
  const { args, lazy, idle_stop_ms: idle, trusted, protocol, per_session: perSession } = given;
  return {
    ...limitsOf(given, cwd),
    ...(args === undefined ? {} : { args }),
    ...valuesOf(given, config),
    ...toolsOf(given, config),
    ...(lazy === undefined ? {} : { start: lazy ? ('lazy' as const) : ('eager' as const) }),
    ...(idle === undefined ? {} : { idle_stop_ms: idle === 0 ? undefined : idle }),
    ...(trusted === undefined ? {} : { trusted }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(perSession === undefined ? {} : { connection: perSession ? ('per_session' as const) : ('shared' as const) }),
  };
}

function valuesOf(given: Given, { env_vars: env, headers }: ServerConfig): Pick<ServerInput, 'env_vars' | 'headers'> {
  const [variables, fields, unset] = [variablesOf(given), headersOf(given), unsetOf(given)];
  const unknown = unset.find((name) => env[name] === undefined && headers[name] === undefined);
  if (unknown !== undefined) {
    throw new AppError('VALIDATION_ERROR', 'The server has no variable or header with a name that --unset gives.', {
      field: 'unset',
      hint: `It has: ${[...Object.keys(env), ...Object.keys(headers)].join(', ') || 'none'}.`,
    });
  }
  if (Object.keys(variables).length + Object.keys(fields).length + unset.length === 0) return {};
  return { env_vars: changedValues(env, variables, unset), headers: changedValues(headers, fields, unset) };
}

/** A value that was a secret stays one. */
function changedValues(
  before: Readonly<Record<string, ConfiguredValue>>,
  given: Readonly<Record<string, string>>,
  unset: readonly string[],
): Record<string, GivenValue> {
  const set = Object.entries(given).map(([name, value]): [string, GivenValue] => {
    const { secret_ref: _, is_secret: isSecret, ...kept } = before[name] ?? {};
    return [name, { ...kept, value, ...(isSecret ? { is_secret: true } : {}) }];
  });
  const left = Object.entries(before).filter(([name]) => !unset.includes(name));
  return Object.fromEntries<GivenValue>([...left, ...set]);
}

function toolsOf({ allow, deny }: Given, { tools }: ServerConfig): Pick<ServerInput, 'tools'> {
  if (allow === undefined && deny === undefined) return {};
  const lists = {
    allow: allow === undefined ? tools.allow : patternsOf(allow),
    deny: deny === undefined ? tools.deny : patternsOf(deny),
  };
  return {
    tools: {
      ...(lists.allow && lists.allow.length > 0 ? { allow: [...lists.allow] } : {}),
      ...(lists.deny && lists.deny.length > 0 ? { deny: [...lists.deny] } : {}),
    },
  };
}

function unsetOf({ unset }: Given): string[] {
  return [unset ?? []].flat();
}

function secretsOf(given: Given, { env_vars: env, headers }: ServerConfig): string[] {
  const values = unsetOf(given).flatMap((name) => [env[name], headers[name]]);
  return values.flatMap((value) => value?.secret_ref ?? []);
}
