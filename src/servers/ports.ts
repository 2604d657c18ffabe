import type { JsonObject } from '../domain/json.ts';
import type { ServerConfig, ServerId } from '../domain/server-config.ts';
import type { ServerManifest, ServerPins } from '../domain/server-manifest.ts';

/** A server as it is stored. */
export interface ServerRow {
  config: ServerConfig;
  /** It stays stopped until it is started by hand. */
  stoppedByHand: boolean;
  createdAt: number;
  /** What it offered when it was last connected. */
  manifest?: ServerManifest;
  pins?: ServerPins;
}

/** Servers in the order in which they were added. Every change is written with its event. */
export interface ServerStore {
  list(): Promise<readonly ServerRow[]>;
  /** Throws CONFLICT where the id is taken. */
  add(config: ServerConfig): Promise<void>;
  /** False where there is no such server. */
  change(config: ServerConfig): Promise<boolean>;
  remove(id: ServerId): Promise<boolean>;
  setStoppedByHand(id: ServerId, stoppedByHand: boolean): Promise<void>;
  saveManifest(id: ServerId, manifest: ServerManifest, pins: ServerPins): Promise<void>;
  /** Writes only events, such as of a new state. */
  note(id: ServerId, events: readonly { type: string; data: JsonObject }[]): Promise<void>;
}

/** The port of the capability on the store. */
export interface ServerStores {
  servers: ServerStore;
}
