import type { StoreDefinition } from '../storage/definition.ts';
import { sql as servers } from './migrations/0001-servers.ts';
import type { ServerStores } from './ports.ts';

export const serverStore: StoreDefinition<ServerStores> = {
  migrations: [{ number: 1, name: 'servers', sql: servers }],
  openers: { sqlite: () => import('../storage/sqlite/servers/store.ts') },
};
