import type { StoreDefinition } from '../storage/definition.ts';
import { sql as lettersAsMessages } from './migrations/0001-letters-as-messages.ts';
import { sql as lettersOfTheUser } from './migrations/0002-letters-of-the-user.ts';
import type { AgentmailStore } from './ports.ts';

export const agentmailStore: StoreDefinition<AgentmailStore> = {
  migrations: [
    { number: 1, name: 'letters-as-messages', sql: lettersAsMessages },
    { number: 2, name: 'letters-of-the-user', sql: lettersOfTheUser },
  ],
  openers: { sqlite: () => import('../storage/sqlite/agentmail/store.ts') },
};
