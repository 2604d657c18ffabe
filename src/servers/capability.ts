import { defineCapability } from '../capability.ts';
import { openServers } from './open-servers.ts';
import type { ServerStores } from './ports.ts';
import type { ServersSettings } from './settings.ts';
import { serverStore } from './store.ts';

/** Other MCP servers: configured, run, and offered to the clients of this program. */
export const servers = defineCapability<ServerStores, ServersSettings>({
  name: 'servers',
  invalidInput: 'VALIDATION_ERROR',
  config: () => import('./settings.ts'),
  probes: async () => [(await import('./probe.ts')).serversProbe],
  store: serverStore,
  open: openServers,
});
