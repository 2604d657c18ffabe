import type { ItemDescription, OutboxItem, OutboxStore } from '../domain/outbox.ts';

/**
 * Runs `begin`, which adds, approves or retries an item, and waits some seconds until it was attempted. Resolves with the item as
 * it is then, also when the time is over or the signal is aborted.
 */
export type WaitForAttempt = (begin: () => Promise<OutboxItem>, signal: AbortSignal) => Promise<OutboxItem>;

/** What the operations on the outbox are handed. */
export interface OutboxParts {
  outbox: OutboxStore;
  waitForAttempt: WaitForAttempt;
  /** Undefined once the content has been deleted. */
  describe(item: OutboxItem): ItemDescription | undefined;
}
