import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { ServerFields } from '../config/server-input.ts';
import { checkMayTrust } from './check-person.ts';
import { asLine, ChangedServer, ServerRef, type ServersContext, toView } from './server-view.ts';

const RUN_BY = ['package', 'transport', 'args', 'cwd', 'env_vars'] as const;

export const updateServer = operation({
  mcp: { name: 'servers_update', title: 'Change an MCP server' },
  rest: { method: 'PUT', path: '/servers/:id' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  deadlineMs: 60_000,
  description: 'Changes the given fields of another MCP server. One that runs is started again with them.',
  input: z.strictObject({ id: ServerRef, ...ServerFields }),
  output: ChangedServer,
  async run({ id, ...input }, context: OperationContext & ServersContext) {
    const server = await context.servers.find(id);
    const { trusted } = server.config();
    // What is trusted is the program: another one in its place has to be trusted, too.
    if (!trusted || RUN_BY.some((field) => input[field] !== undefined)) {
      await checkMayTrust(context, input.trusted ?? trusted);
    }
    return toView(await context.update(server, input));
  },
  render: asLine,
});
