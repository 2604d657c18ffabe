import type { StoreDefinition } from '../storage/definition.ts';

export const chatStore: StoreDefinition = { migrations: [] };
