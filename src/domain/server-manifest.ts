import type { JsonObject } from './json.ts';

/** What a server said of itself when it was last connected. Definitions are as it gave them. */
export interface ServerManifest {
  serverInfo: JsonObject;
  protocolVersion: string;
  capabilities: JsonObject;
  instructions?: string;
  tools: readonly JsonObject[];
  prompts: readonly JsonObject[];
  resources: readonly JsonObject[];
  resourceTemplates: readonly JsonObject[];
}

/** Definitions that a person has accepted, or that were there when the server was added, by name. */
export interface ServerPins {
  tools: Readonly<Record<string, JsonObject>>;
  prompts: Readonly<Record<string, JsonObject>>;
  instructions?: string;
}
