import type { StoreDefinition } from '../storage/definition.ts';

export const agentmailStore: StoreDefinition = { migrations: [] };
