import { z } from 'zod';
import { operation } from '../../operation.ts';
import { asLine, type ServersContext, ServerView, statusLine, toView } from './server-view.ts';

const Output = z.object({ servers: z.array(ServerView) });

export const listServers = operation({
  mcp: { name: 'servers_list', title: 'List the MCP servers', right: 'manage' },
  cli: {
    path: 'servers list',
    examples: ['switchboard servers list', 'switchboard servers list --json'],
    list: {
      key: 'servers',
      columns: ['id', 'package', 'status'],
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
  description: 'Lists the other MCP servers, with their configuration and status.',
  input: z.strictObject({}),
  output: Output,
  run: async (_, { servers }: ServersContext) => ({ servers: (await servers.list()).map(toView) }),
  render: ({ servers }) => servers.map(asLine).join('\n') || 'No server is configured.',
});
