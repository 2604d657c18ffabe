import type { StoreDefinition } from '../storage/definition.ts';
import { sql as accounts } from './migrations/0001-accounts.ts';
import type { EmailStores } from './ports.ts';

export const emailStore: StoreDefinition<EmailStores> = {
  migrations: [{ number: 1, name: 'accounts', sql: accounts }],
  openers: { sqlite: () => import('../storage/sqlite/email/store.ts') },
};
