import type { FindNamed } from './chat-entry.ts';
import type { AskingClient } from './client-question.ts';
import { AppError } from './errors.ts';
import type { OutboxId } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { PolicyLevel, Recipient } from './policy.ts';
import type { Principal } from './principal.ts';
import type { ReadChat } from './read-chats.ts';

/**
 * An outgoing message: an email, a chat message. It is stored before it is sent, so that a crash neither loses it nor sends it
 * twice. `uncertain` means that the process ended or the connection broke while it was being sent: the network may have it, so
 * it is sent again only after its sender has searched there, or a person has decided.
 */
export interface OutboxItem {
  id: OutboxId;
  /** The kind of its sender: `chat`, `email` … */
  sender: string;
  /** Id of the source or account it is sent through. */
  through: string;
  /** Items of one source with the same lane are sent in their order: the id of the chat. */
  lane?: string;
  /** Chosen by the caller: the same key of one principal, sender and source is one item. */
  idempotencyKey?: string;
  recipients: readonly Recipient[];
  /** One line for lists; empty once the content has been deleted. */
  summary: string;
  /** The data its sender needs to send it; empty once the content has been deleted. */
  payload: JsonObject;
  principal: string;
  /** The identity that answers for that principal; unknown in items of earlier versions. */
  identity?: string;
  /** The session it was submitted in, as the outbox names it; none for items of the person and of earlier versions. */
  session?: string;
  /** Name of the principal that approved it. It is not held again, but a policy that denies still applies. */
  approvedBy?: string;
  /** The chats that its session had read, where that is why it is held. */
  heldBecause?: readonly ReadChat[];
  state: 'queued' | 'held' | 'sending' | 'sent' | 'failed' | 'uncertain' | 'discarded';
  attempts: number;
  createdAt: number;
  changedAt: number;
  /** A queued item is not sent before this timestamp. */
  dueAt: number;
  /** The network's id of the message. */
  externalId?: string;
  /** Why it failed or is held, or which of its recipients did not get it, in our own text. */
  reason?: string;
}

export type OutboxCommand =
  | { kind: 'take' }
  | { kind: 'sent'; externalId?: string; reason?: string }
  | { kind: 'fail'; reason: string; retryAt?: number }
  | { kind: 'lose-track'; reason: string }
  | { kind: 'approve'; by: string }
  /** The policy has become stricter since it was queued. */
  | { kind: 'hold'; reason: string; because?: readonly ReadChat[] }
  | { kind: 'discard'; reason?: string }
  | { kind: 'retry' };

export type OutboxEvent =
  | { type: 'OutboxTaken' }
  | { type: 'OutboxSent'; externalId?: string; reason?: string }
  /** `resetAttempts` where a person requested it. */
  | { type: 'OutboxRequeued'; dueAt: number; reason?: string; resetAttempts?: true; approvedBy?: string }
  | { type: 'OutboxHeld'; reason: string; because?: readonly ReadChat[] }
  | { type: 'OutboxFailed'; reason: string }
  | { type: 'OutboxUncertain'; reason: string }
  | { type: 'OutboxDiscarded'; reason?: string };

const ALLOWED: Record<OutboxCommand['kind'], readonly OutboxItem['state'][]> = {
  take: ['queued'],
  sent: ['sending', 'uncertain'],
  fail: ['sending', 'uncertain'],
  'lose-track': ['sending'],
  approve: ['held'],
  hold: ['queued', 'sending', 'uncertain'],
  discard: ['queued', 'held', 'failed', 'uncertain'],
  retry: ['failed', 'uncertain'],
};

export function decide(item: OutboxItem, command: OutboxCommand, now: number): OutboxEvent[] {
  if (!ALLOWED[command.kind].includes(item.state)) {
    throw new AppError('CONFLICT', `An item that is ${item.state} cannot be changed this way (${command.kind}).`);
  }
  if (command.kind === 'retry' && hasNoContent(item)) {
    throw new AppError('CONFLICT', 'What this item said has been forgotten, so that it cannot be sent again.');
  }
  switch (command.kind) {
    case 'take':
      return [{ type: 'OutboxTaken' }];
    case 'sent':
      return [{ type: 'OutboxSent', ...withExternalId(command.externalId), ...withReason(command.reason) }];
    case 'fail':
      return command.retryAt === undefined
        ? [{ type: 'OutboxFailed', reason: command.reason }]
        : [{ type: 'OutboxRequeued', dueAt: command.retryAt, reason: command.reason }];
    case 'lose-track':
      return [{ type: 'OutboxUncertain', reason: command.reason }];
    case 'approve':
      return [{ type: 'OutboxRequeued', dueAt: now, resetAttempts: true, approvedBy: command.by }];
    case 'hold':
      if (item.approvedBy !== undefined)
        throw new AppError('CONFLICT', 'This item was approved: it is not held again.');
      return [{ ...withBecause(command.because), type: 'OutboxHeld', reason: command.reason }];
    case 'retry':
      return [{ type: 'OutboxRequeued', dueAt: now, resetAttempts: true }];
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
      return { ...changed, state: 'sent', ...withExternalId(event.externalId), ...withReason(event.reason) };
    case 'OutboxRequeued':
      return {
        ...changed,
        state: 'queued',
        dueAt: event.dueAt,
        attempts: event.resetAttempts ? 0 : item.attempts,
        ...(event.approvedBy === undefined ? {} : { approvedBy: event.approvedBy }),
        ...withReason(event.reason),
      };
    case 'OutboxHeld': {
      const { because } = event;
      return { ...changed, state: 'held', ...withReason(event.reason), ...(because ? { heldBecause: because } : {}) };
    }
    case 'OutboxFailed':
      return { ...changed, state: 'failed', ...withReason(event.reason) };
    case 'OutboxUncertain':
      return { ...changed, state: 'uncertain', ...withReason(event.reason) };
    case 'OutboxDiscarded':
      return { ...changed, state: 'discarded', ...withReason(event.reason) };
  }
}

/** The content of a finished item is deleted after a while, the item itself later. */
export function hasNoContent({ payload }: OutboxItem): boolean {
  return Object.keys(payload).length === 0;
}

function withReason(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

function withExternalId(externalId: string | undefined): { externalId?: string } {
  return externalId === undefined ? {} : { externalId };
}

function withBecause(because: readonly ReadChat[] | undefined): { because?: readonly ReadChat[] } {
  return because === undefined ? {} : { because };
}

/** Outcome of one attempt to send an item. Reasons are our own text, never the network's. */
export type Attempt =
  /** With a reason if some of its recipients did not get it. */
  | { kind: 'sent'; externalId?: string; reason?: string }
  /** It surely was not sent; with `retry` a later attempt may succeed. */
  | { kind: 'not-sent'; reason: string; retry: boolean }
  /** It may or may not have been sent. */
  | { kind: 'unknown'; reason: string };

/** Whether an uncertain item has arrived; `unknown` where that cannot be determined now. */
export type Arrival = { kind: 'sent'; externalId?: string } | { kind: 'absent' } | { kind: 'unknown' };

/** What a person sees before approving an item, besides its recipients. */
export interface ItemDescription {
  /** The network's id of the chat: other chats can have the same name. */
  chat_id?: string;
  /** The whole text. */
  text: string;
  /** Further facts by their names: `{ subject: 'Offer', attachments: 'offer.pdf (20 KB)' }`. */
  details?: Readonly<Record<string, string>>;
}

/** The sender that a capability registers for one kind of item. */
export interface OutboxSender {
  kind: string;
  describe(item: OutboxItem): ItemDescription;
  /** Items of different lanes may be sent at the same time through one source. */
  sendsConcurrently?: true;
  /** Does not throw: a failure is an outcome. */
  send(item: OutboxItem): Promise<Attempt>;
  /** Looks whether an uncertain item has arrived at the network. */
  look(item: OutboxItem): Promise<Arrival>;
  /** The policy of a source or account itself. */
  policyOf?(through: string): Promise<PolicyLevel | undefined>;
  /** Whether a principal that may read the outbox may see what is sent through this source; all may where this is missing. */
  mayRead?(principal: Principal, through: string): boolean;
  /** The chats that bear a name, for policies that allow recipients by name; none where this is missing. */
  named?: FindNamed;
  /** Id of the chat that an item answers, if its recipients take part in that chat and are not chats themselves. */
  answers?(item: Pick<OutboxItem, 'payload'>): string | undefined;
  /** Maximum size of a payload as JSON, where the default is too small. */
  maxPayloadBytes?: number;
}

/** An item that a capability submits. */
export interface OutboxSubmission {
  sender: string;
  through: string;
  lane?: string;
  recipients: readonly Recipient[];
  /** Shortened by the outbox where it is long. */
  summary: string;
  /** Only what follows from the caller's input: it is compared when an idempotency key is used again. */
  payload: JsonObject;
  idempotencyKey?: string;
  /** The input field that names the recipients, for errors. */
  recipientField?: string;
}

/** The caller that reads chats or submits an item. */
export interface OutboxCaller {
  principal: Principal;
  /** Id of its session, where it has one. */
  session?: string | undefined;
  /** Whether it is surely the person, and no agent. */
  isPerson?: (() => Promise<boolean>) | undefined;
  /** Set where the client can ask its user. */
  asking?: AskingClient | undefined;
}

/** The outbox, as capabilities that send use it. */
export interface OutboxPort {
  register(sender: OutboxSender): void;
  /**
   * Checks policy and limits, stores the item and waits a few seconds for the first attempt. Throws FORBIDDEN, TOO_LARGE, BUSY,
   * or CONFLICT where the idempotency key was used for something else; and AskClient where the client asks its user first.
   */
  submit(submission: OutboxSubmission, caller: OutboxCaller & { signal: AbortSignal }): Promise<OutboxItem>;
  find(id: string): Promise<OutboxItem | undefined>;
  /** Items of a lane that were sent, may have been, or may still be; newest first. */
  inLane(sender: string, through: string, lane: string): Promise<readonly OutboxItem[]>;
  /**
   * The caller gets text that other users wrote in these chats; called before the answer is delivered. What the user wrote does
   * not count.
   */
  noteRead(caller: OutboxCaller, chats: readonly Pick<ReadChat, 'source' | 'chat' | 'name'>[]): Promise<void>;
  /** What one caller says reaches another: what it has read counts for the other, too. */
  shareReads(from: OutboxCaller, to: OutboxCaller): Promise<void>;
  /** Retries what waits for this source or account: it is connected again. */
  retryNow(through: string): void;
  /** Whether the general policy lets nothing leave. */
  isDenied(): boolean;
}
