import { z } from 'zod';
import { operation } from '../../operation.ts';
import { ServerFields } from '../config/server-input.ts';
import { asLine, ServerRef, type ServersContext, ServerView, toView } from './server-view.ts';

export const updateServer = operation({
  mcp: { name: 'servers_update', title: 'Change an MCP server' },
  rest: { method: 'PUT', path: '/servers/:id' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  deadlineMs: 60_000,
  description: 'Changes the given fields of another MCP server. One that runs is started again with them.',
  input: z.strictObject({ id: ServerRef, ...ServerFields }),
  output: ServerView,
  run: async ({ id, ...input }, { servers, update }: ServersContext) =>
    toView(await update(await servers.find(id), input)),
  render: asLine,
});
