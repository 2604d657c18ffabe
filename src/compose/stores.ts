import { agentmailStore } from '../agentmail/store.ts';
import { chatStore } from '../chat/store.ts';
import { outboxStore } from '../outbox/store.ts';
import { migrationPlan } from '../storage/sqlite/migrations/index.ts';
import { systemStore } from '../system/store.ts';

/** What all capabilities bring to the store. */
export const MIGRATIONS = migrationPlan({
  system: systemStore,
  outbox: outboxStore,
  chat: chatStore,
  agentmail: agentmailStore,
});
