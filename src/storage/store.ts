import { join } from 'node:path';
import type { AgentmailStore } from '../agentmail/ports.ts';
import type { ChatStore, MessageStore, SourceRepository } from '../chat/ports.ts';
import { AppError } from '../domain/errors.ts';
import type { EventLog } from '../domain/event-log.ts';
import type { OutboxStore } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AuditLog, SessionRepository, StoreAdmin, TokenRepository } from '../system/ports.ts';
import type { MigrationPlan } from './definition.ts';
import { createStoreAdmin } from './sqlite/admin.ts';
import { openAgentmailStore } from './sqlite/agentmail/store.ts';
import { createAuditLog } from './sqlite/audit.ts';
import { createChatStore } from './sqlite/chat/chats.ts';
import { createMessageStore } from './sqlite/chat/messages.ts';
import { createSourceRepository } from './sqlite/chat/sources.ts';
import { MEMORY } from './sqlite/connection.ts';
import { openDatabase } from './sqlite/database.ts';
import { createEventLog } from './sqlite/event-log.ts';
import { createJobRunner } from './sqlite/job-runner.ts';
import { createOutbox } from './sqlite/outbox.ts';
import { storeProblems } from './sqlite/readiness.ts';
import { createSessionRepository } from './sqlite/sessions.ts';
import { skipLostEventNumbers } from './sqlite/skip-lost-event-numbers.ts';
import { createTokenRepository } from './sqlite/tokens.ts';

export interface Store {
  events: EventLog;
  outbox: OutboxStore;
  sessions: SessionRepository;
  tokens: TokenRepository;
  audit: AuditLog;
  admin: StoreAdmin;
  agentmail: AgentmailStore;
  messages: MessageStore;
  chats: ChatStore;
  sources: SourceRepository;
  /** Why it cannot be used just now, in sentences that anybody may read; none when it can. */
  problems(): Promise<readonly string[]>;
  /** Writes what waits, ends running jobs and leaves one tidy file. */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** `store.url` of the configuration. */
  url: string;
  home: string;
  migrations: MigrationPlan;
  clock: Clock;
  log: Log;
}

export async function openStore({ url, home, migrations, clock, log }: StoreOptions): Promise<Store> {
  const db = await openDatabase({ location: locationOf(url, home), migrations, clock });
  await skipLostEventNumbers(db);
  const runner = createJobRunner(db.location);
  const audit = createAuditLog(db, log);
  return {
    events: createEventLog(db, { clock, log }),
    outbox: createOutbox(db, clock),
    sessions: createSessionRepository(db, clock),
    tokens: createTokenRepository(db, clock),
    audit,
    admin: createStoreAdmin(db, runner),
    agentmail: openAgentmailStore(db, clock),
    messages: createMessageStore(db, clock),
    chats: createChatStore(db),
    sources: createSourceRepository(db),
    problems: () => storeProblems(db),
    async close() {
      await runner.stop();
      try {
        await audit.flush();
      } catch (error) {
        log.warn({ err: error }, 'Could not write the last audit entries of reads.');
      }
      await db.close();
    },
  };
}

/** Its errors never show the value: an address may hold a password. */
function locationOf(url: string, home: string): string {
  if (url === 'sqlite') return join(home, 'switchboard.db');
  if (url === 'sqlite::memory:') return MEMORY;
  const message = /^postgres(ql)?:/i.test(url)
    ? 'PostgreSQL is not supported yet.'
    : 'The address of the store is not one that Switchboard knows.';
  throw new AppError('VALIDATION_ERROR', message, {
    field: 'store.url',
    hint: 'Use "sqlite", the store in a file of SWITCHBOARD_HOME.',
  });
}
