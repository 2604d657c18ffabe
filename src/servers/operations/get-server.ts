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
  render: (server) => {
    const { id, name, package: run, args, env_vars: env, headers, status } = server;
    return [
      `${name === id ? id : `${id} (${name})`}: ${statusLine(status)}`,
      `package: ${run.type} ${run.identifier}${run.version === undefined ? '' : `, version ${run.version}`}`,
      ...(args.length > 0 ? [`arguments: ${args.join(' ')}`] : []),
      ...named('variables', env),
      ...named('headers', headers),
      ...chosen(server),
      ...(status.tools && status.tools.length > 0 ? [`tools: ${status.tools.join(', ')}`] : []),
      ...(status.output === undefined ? [] : [`Its last output:\n${status.output}`]),
    ].join('\n');
  },
});

/** What differs from the defaults. */
function chosen(server: z.output<typeof ServerView>): string[] {
  const { cwd, auth, tools, start, idle_stop_ms: idleMs, trusted, protocol, connection } = server;
  const limits = (['handshake_timeout_ms', 'call_timeout_ms', 'max_result_bytes'] as const).flatMap((name) =>
    server[name] === undefined ? [] : [`${name.replaceAll('_', ' ')}: ${server[name]}`],
  );
  return [
    ...(cwd === undefined ? [] : [`working directory: ${cwd}`]),
    ...(auth.type === 'none' ? [] : [`sign-in: ${auth.type}`]),
    ...(tools.allow ? [`allowed tools: ${tools.allow.join(', ')}`] : []),
    ...(tools.deny ? [`denied tools: ${tools.deny.join(', ')}`] : []),
    ...(start === 'lazy' ? ['start: lazy'] : []),
    ...(idleMs === undefined ? [] : [`stopped after: ${idleMs} ms without a call`]),
    ...(trusted ? ['trusted: yes'] : []),
    ...(protocol === 'auto' ? [] : [`protocol: ${protocol}`]),
    ...(connection === 'shared' ? [] : ['connection: one per session']),
    ...limits,
  ];
}

function named(what: string, values: z.output<typeof ServerView>['env_vars']): string[] {
  const shown = Object.entries(values).map(([key, { value, is_secret: isSecret }]) =>
    isSecret ? `${key} (secret)` : `${key}=${value ?? ''}`,
  );
  return shown.length > 0 ? [`${what}: ${shown.join(', ')}`] : [];
}
