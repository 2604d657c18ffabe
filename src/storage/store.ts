import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { EventLog } from '../domain/event-log.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AuditLog, SessionRepository, StoreAdmin, TokenRepository } from '../system/ports.ts';
import type { MigrationPlan, SqliteParts, StoreDefinition } from './definition.ts';
import { createStoreAdmin } from './sqlite/admin.ts';
import { createAuditLog } from './sqlite/audit.ts';
import { MEMORY } from './sqlite/connection.ts';
import { openDatabase } from './sqlite/database.ts';
import { createEventLog } from './sqlite/event-log.ts';
import { createJobRunner } from './sqlite/job-runner.ts';
import { storeProblems } from './sqlite/readiness.ts';
import { createSessionRepository } from './sqlite/sessions.ts';
import { skipLostEventNumbers } from './sqlite/skip-lost-event-numbers.ts';
import { createTokenRepository } from './sqlite/tokens.ts';

/** The program's own tables, and access to those of its capabilities. */
export interface Store {
  events: EventLog;
  sessions: SessionRepository;
  tokens: TokenRepository;
  audit: AuditLog;
  admin: StoreAdmin;
  /** The port of a capability; the same object at every call. */
  of<Port extends object>(definition: StoreDefinition<Port>): Promise<Port>;
  /** Reasons why the store cannot be used now, as public texts; empty if it can. */
  problems(): Promise<readonly string[]>;
  /** Writes pending data, stops running jobs and leaves a single file. */
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
    sessions: createSessionRepository(db, clock),
    tokens: createTokenRepository(db, clock),
    audit,
    admin: createStoreAdmin(db, runner),
    of: createPorts({ db, clock, log }),
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

function createPorts(parts: SqliteParts): Store['of'] {
  const opened = new Map<StoreDefinition, Promise<object>>();
  return async <Port extends object>(definition: StoreDefinition<Port>) => {
    const port = opened.get(definition) ?? definition.openers.sqlite().then(({ open }) => open(parts));
    opened.set(definition, port);
    return (await port) as Port;
  };
}

/** Errors never contain the value, because a URL may contain a password. */
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
