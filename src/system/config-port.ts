import type { Json, JsonObject } from '../domain/json.ts';

/** What the system's operations need of the configuration. Secrets are already masked. */
export interface ConfigPort {
  /** All settings in force, and the origin of each value. */
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
