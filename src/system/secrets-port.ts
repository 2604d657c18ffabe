/** What the system's operations need of the secrets store. Values can be written here and never read. */
export interface SecretsPort {
  /** On disk when it returns. */
  set(group: string, name: string, value: string): Promise<void>;
  list(group?: string): Promise<readonly SecretEntry[]>;
  /** Whether it existed. */
  delete(group: string, name: string): Promise<boolean>;
  /** Encrypts every secret with a new master key. */
  rotate(): Promise<{ secrets: number }>;
}

interface SecretEntry {
  group: string;
  name: string;
  /** ISO 8601, UTC. */
  updated: string;
}
