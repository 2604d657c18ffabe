import { z } from 'zod';
import { operation } from '../../operation.ts';
import { ServerRef, type ServersContext, ServerView, statusLine, toView } from './server-view.ts';

export const getServer = operation({
  mcp: { name: 'servers_get', title: 'Show an MCP server', right: 'manage' },
  cli: { path: 'servers show', positionals: ['id'] },
  rest: { method: 'GET', path: '/servers/:id' },
  kind: 'query',
  effect: 'reads',
  description: 'Shows the configuration and the status of another MCP server. Secrets are shown by name only.',
  input: z.strictObject({ id: ServerRef }),
  output: ServerView,
  run: async ({ id }, { servers }: ServersContext) => toView(await servers.find(id)),
  render: ({ id, name, package: { type, identifier }, args, env_vars: env, headers, status }) =>
    [
      `${id} (${name}): ${statusLine(status)}`,
      `package: ${type} ${identifier}`,
      ...(args.length > 0 ? [`arguments: ${args.join(' ')}`] : []),
      ...named('variables', env),
      ...named('headers', headers),
      ...(status.tools && status.tools.length > 0 ? [`tools: ${status.tools.join(', ')}`] : []),
      ...(status.output === undefined ? [] : [`Its last output:\n${status.output}`]),
    ].join('\n'),
});

function named(what: string, values: z.output<typeof ServerView>['env_vars']): string[] {
  const shown = Object.entries(values).map(([key, { value, is_secret: isSecret }]) =>
    isSecret ? `${key} (secret)` : `${key}=${value ?? ''}`,
  );
  return shown.length > 0 ? [`${what}: ${shown.join(', ')}`] : [];
}
