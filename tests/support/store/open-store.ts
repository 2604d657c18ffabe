import type { AgentmailStore } from '../../../src/agentmail/ports.ts';
import { agentmailStore } from '../../../src/agentmail/store.ts';
import type { ChatStores } from '../../../src/chat/ports.ts';
import { chatStore } from '../../../src/chat/store.ts';
import type { ClaudeStores } from '../../../src/claude/ports.ts';
import { claudeStore } from '../../../src/claude/store.ts';
import type { EmailStores } from '../../../src/email/ports.ts';
import { emailStore } from '../../../src/email/store.ts';
import type { OutboxStore, ReadStore } from '../../../src/outbox/ports.ts';
import { outboxStore } from '../../../src/outbox/store.ts';
import type { ServerStores } from '../../../src/servers/ports.ts';
import { serverStore } from '../../../src/servers/store.ts';
import { openDatabase as openDatabaseWith } from '../../../src/storage/sqlite/database.ts';
import { newestSchema } from '../../../src/storage/sqlite/migrate.ts';
import { migrationPlan } from '../../../src/storage/sqlite/migrations/index.ts';
import {
  openStore as openStoreWith,
  type Store as StoreOfProgram,
  type StoreOptions,
} from '../../../src/storage/store.ts';

import { systemStore } from '../../../src/system/store.ts';

/** The migrations of all capabilities with tables. */
export const MIGRATIONS = migrationPlan({
  system: systemStore,
  outbox: outboxStore,
  chat: chatStore,
  agentmail: agentmailStore,
  email: emailStore,
  servers: serverStore,
  claude: claudeStore,
});

/** The schema of a new store. */
export const NEWEST_SCHEMA = newestSchema(MIGRATIONS);

/** A store with the repositories of every capability. */
export type Store = StoreOfProgram &
  ChatStores &
  ServerStores &
  ClaudeStores & { agentmail: AgentmailStore; email: EmailStores; outbox: OutboxStore; reads: ReadStore };

/** A store as the program opens it. */
export async function openStore(options: Omit<StoreOptions, 'migrations'>): Promise<Store> {
  const store = await openStoreWith({ ...options, migrations: MIGRATIONS });
  const [outbox, chat, agentmail, email, servers, claude] = await Promise.all([
    store.of(outboxStore),
    store.of(chatStore),
    store.of(agentmailStore),
    store.of(emailStore),
    store.of(serverStore),
    store.of(claudeStore),
  ]);
  return { ...store, outbox: outbox.items, reads: outbox.reads, ...chat, ...servers, ...claude, agentmail, email };
}

type DatabaseOptions = Parameters<typeof openDatabaseWith>[0];

export function openDatabase(options: Omit<DatabaseOptions, 'migrations'>): ReturnType<typeof openDatabaseWith> {
  return openDatabaseWith({ ...options, migrations: MIGRATIONS });
}
