import type { StoreDefinition } from '../storage/definition.ts';
import type { AgentmailStore } from './ports.ts';

export const agentmailStore: StoreDefinition<AgentmailStore> = {
  migrations: [],
  openers: { sqlite: () => import('../storage/sqlite/agentmail/store.ts') },
};
