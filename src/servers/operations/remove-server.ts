import { z } from 'zod';
import { operation } from '../../operation.ts';
import { ServerRef, type ServersContext } from './server-view.ts';

export const removeServer = operation({
  mcp: { name: 'servers_delete', title: 'Remove an MCP server' },
  cli: { path: 'servers remove', positionals: ['id'], aliases: ['servers delete'] },
  rest: { method: 'DELETE', path: '/servers/:id' },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  deadlineMs: 60_000,
  description: 'Stops another MCP server and removes it, with its secrets.',
  input: z.strictObject({ id: ServerRef }),
  output: z.object({ id: z.string() }),
  async run({ id: ref }, { servers, remove }: ServersContext) {
    const server = await servers.find(ref);
    await remove(server);
    return { id: server.id };
  },
  render: ({ id }) => `Removed ${id}.`,
});
