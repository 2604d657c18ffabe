import { z } from 'zod';
import { quotedName } from '../../lib/shown-name.ts';
import { visible } from '../../lib/visible.ts';
import { operation } from '../../operation.ts';
import { asLine, type ServersContext, ServerView, statusLine, toView } from './server-view.ts';

const Output = z.object({ servers: z.array(ServerView) });

export const listServers = operation({
  mcp: { name: 'servers_list', title: 'List the MCP servers', right: 'manage', structured: compact },
  cli: {
    path: 'servers list',
    examples: ['switchboard servers list', 'switchboard servers list --json'],
    list: {
      key: 'servers',
      columns: ['id', 'package', 'status'],
      wholeText: true,
      row: (server) => {
        const {
          id,
          package: { type, identifier },
          status,
        } = ServerView.parse(server);
        return { id, package: `${type} ${identifier}`, status: statusLine(status) };
      },
      line: (server) => asLine(ServerView.parse(server)),
      notes: (output) =>
        Output.parse(output).servers.length > 0 ? [] : ['Add one: switchboard servers add NAME --npm PACKAGE'],
    },
  },
  rest: { method: 'GET', path: '/servers' },
  kind: 'query',
  effect: 'reads',
  description: 'Lists the other MCP servers with their status; servers_get shows the configuration of one.',
  input: z.strictObject({}),
  output: Output,
  run: async (_, { servers }: ServersContext) => ({ servers: (await servers.list()).map(toView) }),
  render: ({ servers }) => servers.map(asWholeLine).join('\n') || 'No server is configured.',
});

/** Over MCP: `servers_get` has the configuration. */
function compact({ servers }: z.output<typeof Output>) {
  return {
    servers: servers.map(({ id, name, status: { since: _, pid: __, output: ___, ...status } }) => ({
      id,
      name,
      status,
    })),
  };
}

function asWholeLine(server: z.output<typeof ServerView>): string {
  const { id, name, package: run, status } = server;
  const tools = status.tools?.length ? ` Tools: ${status.tools.map(visible).join(', ')}.` : '';
  return `${id} ${quotedName(name)} (${run.type} ${visible(run.identifier)}): ${statusLine(status)}${tools}`;
}
