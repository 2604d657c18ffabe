import type { StoreDefinition } from '../storage/definition.ts';

export const outboxStore: StoreDefinition = { migrations: [] };
