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
  /** Which sender takes it: `chat`, `email` … */
  kind: string;
  /** The source or account it leaves through. */
  source: string;
  /** The caller's own key: twice the same from one principal, of one kind and through one source, is one item. */
  idempotencyKey?: string;
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
  | { type: 'OutboxRequeued'; dueAt: number; reason?: string }
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
      return [{ type: 'OutboxRequeued', dueAt: now }];
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
      return { ...changed, state: 'queued', dueAt: event.dueAt, ...withReason(event.reason) };
    case 'OutboxFailed':
      return { ...changed, state: 'failed', ...withReason(event.reason) };
    case 'OutboxUncertain':
      return { ...changed, state: 'uncertain', ...withReason(event.reason) };
    case 'OutboxDiscarded':
      return { ...changed, state: 'discarded', ...withReason(event.reason) };
  }
}

function withReason(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

export interface NewOutgoing {
  kind: string;
  source: string;
  idempotencyKey?: string;
  payload: JsonObject;
  principal: string;
  /** `held` waits for a person's approval. */
  state: 'queued' | 'held';
  reason?: string;
  dueAt?: number;
}

export interface OutboxFilter {
  kind?: string;
  states?: readonly OutboxItem['state'][];
  /** 1,000 where it is not said. */
  limit?: number;
  /** Items added before this one. */
  before?: OutboxId;
}

export interface Outbox {
  /** On disk when it returns. With a known idempotency key, the item that is there already. */
  add(outgoing: NewOutgoing): Promise<OutboxItem>;
  /** The oldest due item of these kinds becomes `sending`; nobody else gets it. */
  take(kinds: readonly string[]): Promise<OutboxItem | undefined>;
  change(id: OutboxId, command: Exclude<OutboxCommand, { kind: 'take' }>): Promise<OutboxItem>;
  find(id: OutboxId): Promise<OutboxItem | undefined>;
  /** Newest first. */
  list(filter?: OutboxFilter): Promise<readonly OutboxItem[]>;
  /** At start: what a dead process was sending becomes `uncertain`. Returns those items. */
  recover(): Promise<readonly OutboxItem[]>;
}
