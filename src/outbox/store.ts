import type { OutboxStore } from '../domain/outbox.ts';
import type { StoreDefinition } from '../storage/definition.ts';

export const outboxStore: StoreDefinition<OutboxStore> = {
  migrations: [],
  openers: { sqlite: () => import('../storage/sqlite/outbox/store.ts') },
};
