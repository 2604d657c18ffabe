/** One step of a schema. A released one never changes: stores remember its checksum. */
export interface Migration {
  number: number;
  name: string;
  sql: string;
}

/** What a capability keeps in the store. */
export interface StoreDefinition {
  /** Its own sequence, numbered from 1 without gaps. */
  migrations: readonly Migration[];
}

/** Every migration a program knows. Plain data, so that it can be handed to a worker. */
export interface MigrationPlan {
  /** Those from before capabilities had their own, and the one that made room for them. */
  shared: readonly Migration[];
  /** By the name of the capability; applied after the shared ones, in this order. */
  capabilities: Readonly<Record<string, readonly Migration[]>>;
}
