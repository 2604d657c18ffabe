import type { Migration } from '../migrate.ts';
import { sql as foundation } from './0001-foundation.ts';
import { sql as tokens } from './0002-tokens.ts';
import { sql as sessionActivity } from './0003-session-activity.ts';
import { sql as agentmail } from './0004-agentmail.ts';
import { sql as chat } from './0005-chat.ts';
import { sql as outboxAndGrants } from './0006-outbox-and-grants.ts';
import { sql as evenMerging } from './0007-even-merging.ts';

/** In order and without gaps. A released one never changes: stores remember its checksum. */
export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'foundation', sql: foundation },
  { number: 2, name: 'tokens', sql: tokens },
  { number: 3, name: 'session-activity', sql: sessionActivity },
  { number: 4, name: 'agentmail', sql: agentmail },
  { number: 5, name: 'chat', sql: chat },
  { number: 6, name: 'outbox-and-grants', sql: outboxAndGrants },
  { number: 7, name: 'even-merging', sql: evenMerging },
];
