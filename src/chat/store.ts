import type { StoreDefinition } from '../storage/definition.ts';
import { sql as lateMerging } from './migrations/0001-late-merging.ts';
import { sql as signs } from './migrations/0002-signs.ts';
import { sql as sourceCounts } from './migrations/0003-source-counts.ts';
import { sql as wordPairs } from './migrations/0004-word-pairs.ts';
import { sql as senderNames } from './migrations/0005-sender-names.ts';
import { sql as stretchedNames } from './migrations/0006-stretched-names.ts';
import type { ChatStores } from './ports.ts';

export const chatStore: StoreDefinition<ChatStores> = {
  migrations: [
    { number: 1, name: 'late-merging', sql: lateMerging },
    { number: 2, name: 'signs', sql: signs },
    { number: 3, name: 'source-counts', sql: sourceCounts },
    { number: 4, name: 'word-pairs', sql: wordPairs },
    { number: 5, name: 'sender-names', sql: senderNames },
    { number: 6, name: 'stretched-names', sql: stretchedNames },
  ],
  openers: { sqlite: () => import('../storage/sqlite/chat/store.ts') },
};
