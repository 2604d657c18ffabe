import { AppError } from './errors.ts';
import type { OutboxId } from './ids.ts';
import type { JsonObject } from './json.ts';

/**
 * Something that leaves for the outside: an email, a chat message. It is a row before anything is sent, so that a
 * crash at any point neither loses it nor sends it twice. `uncertain` means that it was being sent when the process
 * died: the network may have it, so only who can look there (or a person) may decide.
 */
export interface OutboxItem {
  id: OutboxId;
  /** The kind of its sender: `chat`, `email` … */
  sender: string;
  /** Id of the source or account it leaves through. */
  through: string;
  /** What leaves through one source for the same place keeps its order: the id of the chat. */
  lane?: string;
  /** The caller's own key: twice the same from one principal, of one kind and through one source, is one item. */
  idempotencyKey?: string;
  /** `to` and `text` say to whom and what, for people; empty once what was said has been forgotten. */
  payload: JsonObject;
  principal: string;
  state: 'queued' | 'held' | 'sending' | 'sent' | 'failed' | 'uncertain' | 'discarded';
  attempts: number;
  createdAt: number;
  changedAt: number;
  /** A queued item is not taken before this moment. */
  dueAt: number;
  /** The id the network gave it. */
  externalId?: string;
  /** Why it failed or is held, in our words. */
  reason?: string;
}

export type OutboxCommand =
  | { kind: 'take' }
  | { kind: 'sent'; externalId?: string }
  | { kind: 'fail'; reason: string; retryAt?: number }
  | { kind: 'lose-track'; reason: string }
  | { kind: 'approve' }
  | { kind: 'discard'; reason?: string }
  | { kind: 'retry' };

export type OutboxEvent =
  | { type: 'OutboxTaken' }
  | { type: 'OutboxSent'; externalId?: string }
  /** `afresh` where a person said so: what was tried before does not count. */
  | { type: 'OutboxRequeued'; dueAt: number; reason?: string; afresh?: true }
  | { type: 'OutboxFailed'; reason: string }
  | { type: 'OutboxUncertain'; reason: string }
  | { type: 'OutboxDiscarded'; reason?: string };

const ALLOWED: Record<OutboxCommand['kind'], readonly OutboxItem['state'][]> = {
  take: ['queued'],
  sent: ['sending', 'uncertain'],
  fail: ['sending', 'uncertain'],
  'lose-track': ['sending'],
  approve: ['held'],
  discard: ['queued', 'held', 'failed', 'uncertain'],
  retry: ['failed', 'uncertain'],
};

export function decide(item: OutboxItem, command: OutboxCommand, now: number): OutboxEvent[] {
  if (!ALLOWED[command.kind].includes(item.state)) {
    throw new AppError('CONFLICT', `An item that is ${item.state} cannot be changed this way (${command.kind}).`);
  }
  if (command.kind === 'retry' && isForgotten(item)) {
    throw new AppError('CONFLICT', 'What this item said has been forgotten, so that it cannot be sent again.');
  }
  switch (command.kind) {
    case 'take':
      return [{ type: 'OutboxTaken' }];
    case 'sent':
      return [{ type: 'OutboxSent', ...(command.externalId === undefined ? {} : { externalId: command.externalId }) }];
    case 'fail':
      return command.retryAt === undefined
        ? [{ type: 'OutboxFailed', reason: command.reason }]
        : [{ type: 'OutboxRequeued', dueAt: command.retryAt, reason: command.reason }];
    case 'lose-track':
      return [{ type: 'OutboxUncertain', reason: command.reason }];
    case 'approve':
    case 'retry':
      return [{ type: 'OutboxRequeued', dueAt: now, afresh: true }];
    case 'discard':
      return [{ type: 'OutboxDiscarded', ...(command.reason === undefined ? {} : { reason: command.reason }) }];
  }
}

export function evolve(item: OutboxItem, event: OutboxEvent, now: number): OutboxItem {
  const { reason: _, ...rest } = item;
  const changed = { ...rest, changedAt: now };
  switch (event.type) {
    case 'OutboxTaken':
      return { ...changed, state: 'sending', attempts: item.attempts + 1 };
    case 'OutboxSent':
      return { ...changed, state: 'sent', ...(event.externalId === undefined ? {} : { externalId: event.externalId }) };
    case 'OutboxRequeued':
      return {
        ...changed,
        state: 'queued',
        dueAt: event.dueAt,
        attempts: event.afresh ? 0 : item.attempts,
        ...withReason(event.reason),
      };
    case 'OutboxFailed':
      return { ...changed, state: 'failed', ...withReason(event.reason) };
    case 'OutboxUncertain':
      return { ...changed, state: 'uncertain', ...withReason(event.reason) };
    case 'OutboxDiscarded':
      return { ...changed, state: 'discarded', ...withReason(event.reason) };
  }
}

function isForgotten({ payload }: OutboxItem): boolean {
  return Object.keys(payload).length === 0;
}

function withReason(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** What became of an attempt to send something. Reasons are our words. */
export type Attempt =
  | { kind: 'sent'; externalId?: string }
  /** It surely has not left; with `retry` it may work later. */
  | { kind: 'not-sent'; reason: string; retry: boolean }
  /** Nobody can say whether it has left. */
  | { kind: 'unknown'; reason: string };

/** Who brings one kind of item out of the house. */
export interface OutboxSender {
  kind: string;
  /** Does not fail: what goes wrong is said in its answer. */
  send(item: OutboxItem): Promise<Attempt>;
  /** Looks whether an uncertain item has arrived; `unknown` where nobody can tell at the moment. */
  look(item: OutboxItem): Promise<{ kind: 'sent'; externalId?: string } | 'absent' | 'unknown'>;
}

export interface NewOutboxItem {
  sender: string;
  through: string;
  lane?: string;
  idempotencyKey?: string;
  payload: JsonObject;
  principal: string;
  /** `held` waits for a person's approval. */
  state: 'queued' | 'held';
  reason?: string;
  dueAt?: number;
}

export interface OutboxFilter {
  sender?: string;
  states?: readonly OutboxItem['state'][];
  /** 1,000 where it is not said. */
  limit?: number;
  /** Items added before this one. */
  before?: OutboxId;
}

export interface OutboxStore {
  /** On disk when it returns. With a known idempotency key, the item that is there already. */
  add(outgoing: NewOutboxItem): Promise<OutboxItem>;
  /**
   * The oldest due item of these kinds becomes `sending`; nobody else gets it. Sources that are `busy` are left out, and
   * whatever has an older item before it in its lane.
   */
  take(senders: readonly string[], busy?: readonly string[]): Promise<OutboxItem | undefined>;
  /** When the next one can be taken, unless one is added or changed before. */
  nextDue(senders: readonly string[], busy?: readonly string[]): Promise<number | undefined>;
  /** What waits to be tried again through this source is due now. Gives how many there are. */
  makeDue(through: string): Promise<number>;
  change(id: OutboxId, command: Exclude<OutboxCommand, { kind: 'take' }>): Promise<OutboxItem>;
  find(id: OutboxId): Promise<OutboxItem | undefined>;
  /** Newest first. */
  list(filter?: OutboxFilter): Promise<readonly OutboxItem[]>;
  /** At start: what a dead process was sending becomes `uncertain`. Returns those items. */
  recover(): Promise<readonly OutboxItem[]>;
  /**
   * Empties what was finished before the moment `words`, and forgets altogether what was finished before `rows`: until then
   * its idempotency key is known. Gives how many were emptied and how many went.
   */
  forget(before: { content: number; rows: number }): Promise<{ emptied: number; gone: number }>;
}
