import type { StoreDefinition } from '../storage/definition.ts';
import { sql as conversations } from './migrations/0001-conversations.ts';
import type { ClaudeStores } from './ports.ts';

export const claudeStore: StoreDefinition<ClaudeStores> = {
  migrations: [{ number: 1, name: 'conversations', sql: conversations }],
  openers: { sqlite: () => import('../storage/sqlite/claude/store.ts') },
};
