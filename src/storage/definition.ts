import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from './sqlite/database.ts';

/** One step of a schema. A released one never changes: stores remember its checksum. */
export interface Migration {
  number: number;
  name: string;
  sql: string;
}

/** What a capability keeps in the store: its tables, and the port through which it reaches them. */
export interface StoreDefinition<Port extends object = object> {
  /** Its own sequence, numbered from 1 without gaps. */
  migrations: readonly Migration[];
  /** How the port is opened on each kind of database; loaded when it is first asked for. */
  openers: { sqlite(): Promise<{ open(parts: SqliteParts): Port }> };
}

export interface SqliteParts {
  db: Database;
  clock: Clock;
  log: Log;
}

/** Every migration a program knows. Plain data, so that it can be handed to a worker. */
export interface MigrationPlan {
  /** Those from before capabilities had their own, and the one that made room for them. */
  shared: readonly Migration[];
  /** By the name of the capability; applied after the shared ones, in this order. */
  capabilities: Readonly<Record<string, readonly Migration[]>>;
}
