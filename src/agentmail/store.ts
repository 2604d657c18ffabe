import type { StoreDefinition } from '../storage/definition.ts';
import { sql as lettersAsMessages } from './migrations/0001-letters-as-messages.ts';
import type { AgentmailStore } from './ports.ts';

export const agentmailStore: StoreDefinition<AgentmailStore> = {
  migrations: [{ number: 1, name: 'letters-as-messages', sql: lettersAsMessages }],
  openers: { sqlite: () => import('../storage/sqlite/agentmail/store.ts') },
};
