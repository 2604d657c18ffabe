import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { ServerFields } from '../config/server-input.ts';
import { checkMayTrust } from './check-person.ts';
import { asLine, ChangedServer, type ServersContext, toView } from './server-view.ts';

export const createServer = operation({
  mcp: { name: 'servers_create', title: 'Add an MCP server' },
  rest: { method: 'POST', path: '/servers' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Adds another MCP server and starts it in the background. Secrets are kept in the secrets store.',
  input: z.strictObject(ServerFields),
  output: ChangedServer,
  async run(input, context: OperationContext & ServersContext) {
    await checkMayTrust(context, input.trusted);
    return toView(await context.create(input));
  },
  render: asLine,
});
