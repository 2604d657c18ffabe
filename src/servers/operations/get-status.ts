import { z } from 'zod';
import { operation } from '../../operation.ts';
import { ServerRef, type ServersContext, StatusView, statusLine, toStatus } from './server-view.ts';

export const getStatus = operation({
  mcp: { name: 'servers_status', title: 'Status of an MCP server', right: 'manage' },
  cli: { path: 'servers status', positionals: ['id'] },
  rest: { method: 'GET', path: '/servers/:id/status' },
  kind: 'query',
  effect: 'reads',
  description: 'Shows whether another MCP server runs, with its tools or the reason why not.',
  input: z.strictObject({ id: ServerRef }),
  output: StatusView,
  run: async ({ id }, { servers }: ServersContext) => toStatus(await servers.find(id)),
  render: statusLine,
});
