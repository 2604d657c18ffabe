import type { StoreDefinition } from '../storage/definition.ts';
import { sql as lettersAsMessages } from './migrations/0001-letters-as-messages.ts';

export const agentmailStore: StoreDefinition = {
  migrations: [{ number: 1, name: 'letters-as-messages', sql: lettersAsMessages }],
};
