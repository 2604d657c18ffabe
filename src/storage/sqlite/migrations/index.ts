import type { Migration, MigrationPlan, StoreDefinition } from '../../definition.ts';
import { sql as foundation } from './0001-foundation.ts';
import { sql as tokens } from './0002-tokens.ts';
import { sql as sessionActivity } from './0003-session-activity.ts';
import { sql as agentmail } from './0004-agentmail.ts';
import { sql as chat } from './0005-chat.ts';
import { sql as outboxAndGrants } from './0006-outbox-and-grants.ts';
import { sql as evenMerging } from './0007-even-merging.ts';
import { sql as capabilityMigrations } from './0008-capability-migrations.ts';

/** Complete: the next migration belongs to a capability, in its own folder. */
export const SHARED_MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'foundation', sql: foundation },
  { number: 2, name: 'tokens', sql: tokens },
  { number: 3, name: 'session-activity', sql: sessionActivity },
  { number: 4, name: 'agentmail', sql: agentmail },
  { number: 5, name: 'chat', sql: chat },
  { number: 6, name: 'outbox-and-grants', sql: outboxAndGrants },
  { number: 7, name: 'even-merging', sql: evenMerging },
  { number: 8, name: 'capability-migrations', sql: capabilityMigrations },
];

/** All migrations of a program that has these capabilities. */
export function migrationPlan(stores: Readonly<Record<string, StoreDefinition>>): MigrationPlan {
  const own = Object.entries(stores).map(([capability, { migrations }]) => [capability, migrations]);
  return { shared: SHARED_MIGRATIONS, capabilities: Object.fromEntries(own) };
}
