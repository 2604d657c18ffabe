import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from './sqlite/database.ts';

/** One step of a schema. A released one never changes: stores record its checksum. */
export interface Migration {
  number: number;
  name: string;
  sql: string;
}

/** The part of the store that belongs to a capability: its tables, and the port through which it uses them. */
export interface StoreDefinition<Port extends object = object> {
  /** Its own sequence, numbered from 1 without gaps. */
  migrations: readonly Migration[];
  /** Opens the port on each kind of database; loaded on first use. */
  openers: { sqlite(): Promise<{ open(parts: SqliteParts): Port }> };
}

export interface SqliteParts {
  db: Database;
  clock: Clock;
  log: Log;
}

/** Every migration a program knows. Plain data, so that it can be passed to a worker. */
export interface MigrationPlan {
  /** Migrations from before capabilities had their own, and the one that introduced them. */
  shared: readonly Migration[];
  /** By name of the capability; applied after the shared ones, in this order. */
  capabilities: Readonly<Record<string, readonly Migration[]>>;
}
