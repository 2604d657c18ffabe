export interface BuiltTool {
  capability: string;
  /** Its name if its capability is the only one; missing if it is not offered there. */
  aloneAs?: string;
  definition: { name: string; [key: string]: unknown };
}

/** A resource, a template or a prompt, as it is listed. */
export interface BuiltEntry {
  capability: string;
  definition: object;
}

export interface Manifest {
  tools: readonly BuiltTool[];
  resources: readonly BuiltEntry[];
  templates: readonly BuiltEntry[];
  prompts: readonly BuiltEntry[];
  capabilities: object;
  /** Protocol versions with sessions, newest first. */
  sessionVersions: readonly string[];
  statelessVersion: string;
}

/** What a server of this version offers, for clients that cannot reach theirs. Empty in the source; the build fills it. */
export const BUILT_MANIFEST: Manifest = {
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  capabilities: {},
  sessionVersions: [],
  statelessVersion: '',
};
