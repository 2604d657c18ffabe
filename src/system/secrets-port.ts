/** What the system's operations need of the secrets store. Values go in and never come out here. */
export interface SecretsPort {
  /** On disk when it returns. */
  set(group: string, name: string, value: string): Promise<void>;
  list(group?: string): Promise<readonly SecretEntry[]>;
  /** Whether it was there. */
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
