import type { StoreDefinition } from '../storage/definition.ts';
import { sql as tokenGrants } from './migrations/0001-token-grants.ts';
import { sql as auditDetails } from './migrations/0002-audit-details.ts';

/** Its tables are reached through the store itself: sessions, tokens and the audit belong to every part. */
export const systemStore: StoreDefinition = {
  migrations: [
    { number: 1, name: 'token-grants', sql: tokenGrants },
    { number: 2, name: 'audit-details', sql: auditDetails },
  ],
  openers: { sqlite: async () => ({ open: () => ({}) }) },
};
