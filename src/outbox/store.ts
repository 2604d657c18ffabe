import type { StoreDefinition } from '../storage/definition.ts';
import { sql as recipients } from './migrations/0001-recipients.ts';
import type { OutboxStore } from './ports.ts';

export const outboxStore: StoreDefinition<OutboxStore> = {
  migrations: [{ number: 1, name: 'recipients', sql: recipients }],
  openers: { sqlite: () => import('../storage/sqlite/outbox/store.ts') },
};
