import type { StoreDefinition } from '../storage/definition.ts';
import { sql as recipients } from './migrations/0001-recipients.ts';
import { sql as approval } from './migrations/0002-approval.ts';
import type { OutboxStores } from './ports.ts';

export const outboxStore: StoreDefinition<OutboxStores> = {
  migrations: [
    { number: 1, name: 'recipients', sql: recipients },
    { number: 2, name: 'approval', sql: approval },
  ],
  openers: { sqlite: () => import('../storage/sqlite/outbox/store.ts') },
};
