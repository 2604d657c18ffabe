import type { StoreDefinition } from '../storage/definition.ts';

export const systemStore: StoreDefinition = { migrations: [] };
