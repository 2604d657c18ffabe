import type { StoreDefinition } from '../storage/definition.ts';
import { sql as recipients } from './migrations/0001-recipients.ts';

export const outboxStore: StoreDefinition = { migrations: [{ number: 1, name: 'recipients', sql: recipients }] };
