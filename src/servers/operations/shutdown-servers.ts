import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { ServersContext } from './server-view.ts';

export const shutdownServers = operation({
  mcp: { name: 'servers_shutdown_all', title: 'Stop all MCP servers' },
  cli: { path: 'servers shutdown' },
  rest: { method: 'POST', path: '/servers/shutdown' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  deadlineMs: 60_000,
  idempotent: true,
  description: 'Stops all other MCP servers. They stay stopped until they are started.',
  input: z.strictObject({}),
  output: z.object({ stopped: z.array(z.string()) }),
  async run(_, { servers }: ServersContext) {
    const running = (await servers.list()).filter((server) => server.state().state !== 'disabled');
    await servers.stopAll(true);
    return { stopped: running.map(({ id }) => id) };
  },
  render: ({ stopped }) => (stopped.length === 0 ? 'No server is enabled.' : `Stopped ${stopped.join(', ')}.`),
});
