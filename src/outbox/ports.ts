import type { OutboxItem, OutboxStore } from '../domain/outbox.ts';

/** Waits until an item that `begin` has added, approved or retried was tried; not for ever. */
export type WaitForAttempt = (begin: () => Promise<OutboxItem>, signal: AbortSignal) => Promise<OutboxItem>;

export interface OutboxParts {
  outbox: OutboxStore;
  waitForAttempt: WaitForAttempt;
}
