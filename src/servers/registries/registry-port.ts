import type { RegistryDetails, RegistryEntry, RegistryName } from './registry-entry.ts';

/** What a search found; `skipped` entries were malformed. */
export interface Found {
  entries: readonly RegistryEntry[];
  skipped: number;
}

export interface Registry {
  readonly name: RegistryName;
  readonly address: string;
  search(query: string, signal?: AbortSignal): Promise<Found>;
  /** Undefined when the registry has no such server. */
  details(id: string, version?: string, signal?: AbortSignal): Promise<RegistryDetails | undefined>;
}

/** Answers of registries, so that they are asked less often. */
export interface RegistryCache {
  get(key: string): Promise<{ value: unknown; at: number } | undefined>;
  set(key: string, value: unknown, at: number): Promise<void>;
}
