export interface BuiltTool {
  capability: string;
  /** What it is called where its capability is the only one. */
  aloneAs: string;
  definition: { name: string; [key: string]: unknown };
}

export interface Manifest {
  tools: readonly BuiltTool[];
  capabilities: object;
  /** Protocol versions with sessions, newest first. */
  sessionVersions: readonly string[];
  statelessVersion: string;
}

/** What a server of this version offers, for clients that cannot reach theirs. Empty in the source; the build fills it. */
export const BUILT_MANIFEST: Manifest = { tools: [], capabilities: {}, sessionVersions: [], statelessVersion: '' };
