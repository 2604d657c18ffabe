import type { OutboxId } from '../domain/ids.ts';
import type { ItemDescription, OutboxCommand, OutboxItem } from '../domain/outbox.ts';
import type { ReadChat } from '../domain/read-chats.ts';
import type { SessionReads } from './session-reads.ts';

export type NewOutboxItem = Pick<
  OutboxItem,
  | 'sender'
  | 'through'
  | 'lane'
  | 'idempotencyKey'
  | 'recipients'
  | 'summary'
  | 'payload'
  | 'principal'
  | 'identity'
  | 'session'
  | 'heldBecause'
  | 'reason'
> & {
  /** `held` waits for a person's approval. */
  state: 'queued' | 'held';
  dueAt?: number;
};

export interface OutboxFilter {
  sender?: string;
  through?: string;
  lane?: string;
  states?: readonly OutboxItem['state'][];
  /** Default 1,000. */
  limit?: number;
  /** Items added before this one. */
  before?: OutboxId;
}

/** The first attempts, or the retries, through one source or account. */
export interface SendingSlot {
  through: string;
  isRetry: boolean;
}

export interface OutboxStore {
  /**
   * On disk when it resolves. With a known idempotency key, the item that is stored already. Throws BUSY where the principal
   * has `maxWaiting` held or queued items.
   */
  add(item: NewOutboxItem, limits?: { maxWaiting?: number }): Promise<OutboxItem>;
  /**
   * The oldest due item of these senders becomes `sending`; no other caller gets it. Slots that are `busy` are left out, and
   * items that have an older one before them in their lane, or one that is being sent.
   */
  take(senders: readonly string[], busy?: readonly SendingSlot[]): Promise<OutboxItem | undefined>;
  /** When the next item can be taken, as far as is known now. */
  nextDue(senders: readonly string[], busy?: readonly SendingSlot[]): Promise<number | undefined>;
  /** Queued items of this source or account are due now. Returns how many there are. */
  makeDue(through: string): Promise<number>;
  change(id: OutboxId, command: Exclude<OutboxCommand, { kind: 'take' }>): Promise<OutboxItem>;
  find(id: OutboxId): Promise<OutboxItem | undefined>;
  /** Newest first. */
  list(filter?: OutboxFilter): Promise<readonly OutboxItem[]>;
  /** At start: items that a dead process was sending become `uncertain`. Returns them. */
  recover(): Promise<readonly OutboxItem[]>;
  /**
   * Deletes the content of items that were finished before `content`, and the items that were finished before `rows`: until then
   * their idempotency keys are known. Returns how many were emptied and deleted.
   */
  forget(before: { content: number; rows: number }): Promise<{ emptied: number; gone: number }>;
}

/** What sessions have read since their last approval. It is stored, so that it outlives this process. */
export interface ReadStore {
  /** Stored when it resolves. More than `MAX_READ_CHATS` chats of a session become one entry. */
  add(session: string, reads: readonly ReadChat[]): Promise<void>;
  /** By time. */
  list(session: string): Promise<readonly ReadChat[]>;
  /** Forgets what the session has read until then. */
  clear(session: string, until: number): Promise<void>;
  /** Forgets reads before this timestamp; returns how many. */
  forget(before: number): Promise<number>;
}

/** The repositories of the outbox in the store. */
export interface OutboxStores {
  items: OutboxStore;
  reads: ReadStore;
}

/**
 * Runs `begin`, which adds, approves or retries an item, and waits some seconds until it was attempted. Resolves with the item as
 * it is then, also when the time is over or the signal is aborted.
 */
export type WaitForAttempt = (begin: () => Promise<OutboxItem>, signal: AbortSignal) => Promise<OutboxItem>;

/** The items as operations use them: those that the caller may see. */
export type OutboxItems = Pick<OutboxStore, 'find' | 'list' | 'change'>;

/** The dependencies of the operations on the outbox. */
export interface OutboxParts {
  outbox: OutboxItems;
  waitForAttempt: WaitForAttempt;
  reads: Pick<SessionReads, 'approved'>;
  /** Undefined once the content has been deleted. */
  describe(item: OutboxItem): ItemDescription | undefined;
}
