import type { StoreDefinition } from '../storage/definition.ts';
import { sql as accounts } from './migrations/0001-accounts.ts';
import { sql as mail } from './migrations/0002-mail.ts';
import { sql as flags } from './migrations/0003-flags.ts';
import type { EmailStores } from './ports.ts';

export const emailStore: StoreDefinition<EmailStores> = {
  migrations: [
    { number: 1, name: 'accounts', sql: accounts },
    { number: 2, name: 'mail', sql: mail },
    { number: 3, name: 'flags', sql: flags },
  ],
  openers: { sqlite: () => import('../storage/sqlite/email/store.ts') },
};
