import { z } from 'zod';
import type { ConfiguredValue } from '../../domain/server-config.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { fill, missing, type ServerDraft } from '../draft/draft.ts';
import { chooseOption, REGISTRIES } from '../registries/registry-entry.ts';
import { draftInput } from '../supervisor/draft-input.ts';
import { checkMayTrust } from './check-person.ts';
import { InputView, questionsOf, toInputView } from './missing-inputs.ts';
import { asLine, ChangedServer, type ServersContext, toView } from './server-view.ts';

const Input = z.strictObject({
  id: z.string().min(1).max(200).describe('Id of the server in the registry, as `servers search` shows it.'),
  name: z.string().min(1).max(200).optional().describe('Name of the server here; default: its name in the registry.'),
  registry: z.enum(REGISTRIES).optional().describe('The registry; default: the first that has it.'),
  version: z.string().max(255).optional().describe('Version; default: the newest.'),
  package: z.enum(['npm', 'pypi', 'docker', 'http']).optional().describe('How it is run, where there is a choice.'),
  values: z
    .record(z.string(), z.string())
    .default({})
    .describe('Values that the server requires, by name; secrets are kept in the secrets store.'),
  disabled: z.boolean().default(false).describe('Install it without starting it.'),
  trusted: z.boolean().default(false).describe('Offer changed tools without a review.'),
  dry_run: z.boolean().default(false).describe('Only show what would be installed, and what it requires.'),
});

const Output = z.object({
  server: ChangedServer.optional(),
  /** What would run, with the values that are known and no secret. */
  command: z.string(),
  inputs: z.array(InputView).describe('Values it can take that are not given.'),
});

export const installServer = operation({
  mcp: { name: 'servers_install', title: 'Install an MCP server from a registry' },
  cli: {
    path: 'servers install',
    positionals: ['id'],
    examples: ['switchboard servers install io.github.user/weather', 'switchboard servers install ns/server --dry-run'],
    question: (input, { server, inputs }) =>
      server || input.dry_run
        ? undefined
        : questionsOf(inputs, (values) => ({ ...input, values: { ...input.values, ...values } })),
  },
  rest: { method: 'POST', path: '/registry/install' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description:
    'Installs a server from a registry. What it requires is asked for; nothing is saved while something is missing.',
  input: Input,
  output: Output,
  async run(input, context: OperationContext & ServersContext) {
    const { registries, create, signal, door } = context;
    await checkMayTrust(context, input.trusted);
    const { details } = await registries.details(input.id, {
      signal,
      ...(input.registry === undefined ? {} : { registry: input.registry }),
      ...(input.version === undefined ? {} : { version: input.version }),
    });
    const draft = fill(chooseOption(details, input.package), input.values);
    const preview = { command: commandOf(draft), inputs: draft.inputs.map(toInputView) };
    const isAsked = door === 'cli' && missing(draft).length > 0;
    if (input.dry_run || isAsked) return preview;
    const server = await create({
      ...draftInput(draft),
      ...(input.name === undefined ? {} : { name: input.name }),
      enabled: !input.disabled,
      trusted: input.trusted,
    });
    return { ...preview, server: toView(server) };
  },
  render: ({ server, command, inputs }) =>
    server ? `Installed ${asLine(server)}.` : [`It runs: ${command}`, ...inputs.map(inputLine)].join('\n'),
});

function inputLine({ key, required, description }: z.output<typeof InputView>): string {
  return `  ${key}${required ? ' (required)' : ''}${description === undefined ? '' : `: ${description}`}`;
}

/** All that the entry decides: variables and headers with their values, except for secrets. */
function commandOf({ package: pack, args = [], env_vars: env = {}, headers = {} }: ServerDraft): string {
  const { type, identifier, version, runtime_args: runtimeArgs = [] } = pack;
  const spec = version === undefined || type === 'http' ? identifier : `${identifier}@${version}`;
  const shown = ({ value, is_secret: isSecret }: ConfiguredValue) => (isSecret ? '(secret)' : (value ?? ''));
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shown(value)}`);
  const sent = Object.entries(headers).map(([name, value]) => `'${name}: ${shown(value)}'`);
  return [...variables, type, ...runtimeArgs, spec, ...args, ...sent].join(' ');
}
