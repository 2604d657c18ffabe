import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import type { Servers } from '../supervisor/servers.ts';
import { asLine, ChangedServer, ServerRef, type ServersContext, toView } from './server-view.ts';

/** A start may download a package first. */
const DEADLINE_MS = 10 * 60_000;

export const startServer = lifecycle({
  verb: 'start',
  title: 'Start an MCP server',
  description: 'Starts another MCP server and waits until it answers.',
  doing: 'Starting',
  act: (servers, server) => servers.start(server),
});

export const stopServer = lifecycle({
  verb: 'stop',
  title: 'Stop an MCP server',
  description: 'Stops another MCP server with all its processes. It stays stopped until it is started.',
  doing: 'Stopping',
  act: (servers, server) => servers.stop(server),
});

export const restartServer = lifecycle({
  verb: 'restart',
  title: 'Restart an MCP server',
  description: 'Stops another MCP server and starts it again.',
  doing: 'Starting',
  act: (servers, server) => servers.restart(server),
});

export const enableServer = lifecycle({
  verb: 'enable',
  title: 'Enable an MCP server',
  description: 'Enables another MCP server and starts it. If that fails, it is disabled again.',
  doing: 'Starting',
  act: (servers, server) => servers.enable(server),
});

export const disableServer = lifecycle({
  verb: 'disable',
  title: 'Disable an MCP server',
  description: 'Stops another MCP server and disables it: nothing starts it until it is enabled.',
  doing: 'Stopping',
  act: (servers, server) => servers.disable(server),
});

interface Lifecycle {
  verb: string;
  title: string;
  description: string;
  /** What takes time, for the progress of the call. */
  doing: 'Starting' | 'Stopping';
  act(servers: Servers, server: ManagedServer): Promise<void>;
}

function lifecycle({ verb, title, description, doing, act }: Lifecycle) {
  return operation({
    mcp: { name: `servers_${verb}`, title },
    cli: { path: `servers ${verb}`, positionals: ['id'] },
    rest: { method: 'POST', path: `/servers/:id/${verb}` },
    kind: 'command',
    effect: 'writes',
    right: 'manage',
    deadlineMs: DEADLINE_MS,
    description,
    input: z.strictObject({ id: ServerRef }),
    output: ChangedServer,
    async run({ id }, { servers, progress }: OperationContext & ServersContext) {
      const server = await servers.find(id);
      progress(0, undefined, `${doing} ${server.id} …`);
      await act(servers, server);
      return toView(server);
    },
    render: asLine,
  });
}
