import type { Json, JsonObject } from '../domain/json.ts';

/** What the system's operations need to know of the configuration. Secrets are masked before they come here. */
export interface ConfigPort {
  /** Everything that is in force, and where each value comes from. */
  settings(): Promise<ConfigView>;
  /** The same as one object. */
  masked(): Promise<JsonObject>;
  /** Fails with an AppError that names every problem. */
  validate(path?: string): Promise<{ path: string; exists: boolean; warnings: readonly string[] }>;
  path(): Promise<{ path: string; exists: boolean }>;
}

interface ConfigView {
  /** None when there is no file. */
  file: string | null;
  settings: readonly { key: string; value: Json; origin: string }[];
  warnings: readonly string[];
}
