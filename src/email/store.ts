import type { StoreDefinition } from '../storage/definition.ts';
import { sql as accounts } from './migrations/0001-accounts.ts';
import { sql as mail } from './migrations/0002-mail.ts';
import type { EmailStores } from './ports.ts';

export const emailStore: StoreDefinition<EmailStores> = {
  migrations: [
    { number: 1, name: 'accounts', sql: accounts },
    { number: 2, name: 'mail', sql: mail },
  ],
  openers: { sqlite: () => import('../storage/sqlite/email/store.ts') },
};
