import type { StoreDefinition } from '../storage/definition.ts';
import type { ChatStores } from './ports.ts';

export const chatStore: StoreDefinition<ChatStores> = {
  migrations: [],
  openers: { sqlite: () => import('../storage/sqlite/chat/store.ts') },
};
