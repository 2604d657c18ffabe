import { type ConversationMessage, type ToolCall, textOf } from './conversation-message.ts';
import { AppError, type ErrorCode } from './errors.ts';
import type { ConversationId } from './ids.ts';
import { addUsage, NO_USAGE, type TokenUsage } from './token-usage.ts';

/** A conversation with Claude, as a pure aggregate. Its messages are stored beside it. */
export interface Conversation extends ConversationFacts {
  /** Grows by one with every event. */
  version: number;
  status: 'active' | 'archived' | 'closed';
  turn: Turn;
  messageCount: number;
  usage: TokenUsage;
  /** In US dollars; missing while no price was known. */
  cost?: number;
  createdAt: number;
  changedAt: number;
}

/** What a conversation is created with. */
export interface ConversationFacts extends Changeable {
  id: ConversationId;
  /** Name of the principal it belongs to, its identity, and the identity that answers for that. */
  owner: string;
  identity: string;
  answersTo: string;
  /** It belongs to the owner: the user of this machine, or the owner's token. */
  isOwners: boolean;
  forkedFrom?: ConversationId;
}

interface Changeable {
  title?: string | undefined;
  system?: string | undefined;
  model: string;
  settings: ConversationSettings;
  /** Patterns of names: the tools that Claude may use. */
  tools: readonly string[];
  /** Patterns of names: the tools that run without approval although they send, delete or spend. */
  autoApprove: readonly string[];
  budget: Budget;
}

export interface ConversationSettings {
  maxTokens?: number | undefined;
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined;
  stopSequences?: readonly string[] | undefined;
}

/** Of the whole conversation: `tokens`, `usd`; of each turn: `iterations`, `seconds`. */
export interface Budget {
  tokens?: number | undefined;
  usd?: number | undefined;
  iterations?: number | undefined;
  seconds?: number | undefined;
}

/** A call that a person decides on. */
export interface AwaitedCall extends ToolCall {
  decision?: 'approved' | 'denied';
  decidedBy?: string;
  reason?: string;
}

export type Turn =
  | { state: 'idle'; outcome?: TurnOutcome }
  | { state: 'running'; decided?: readonly AwaitedCall[] }
  | { state: 'awaiting_approval'; calls: readonly AwaitedCall[] }
  | { state: 'failed'; code: ErrorCode; reason: string };

/** Why a turn ended without a failure. */
export type TurnOutcome = 'done' | 'cancelled' | 'limit_reached' | 'interrupted';

export type NewMessage = Omit<ConversationMessage, 'number'>;

export type ConversationCommand = { at: number } & (
  | ({ kind: 'create' } & ConversationFacts)
  | { kind: 'update'; changes: Partial<Changeable> }
  | { kind: 'add-message'; message: NewMessage }
  | { kind: 'begin-turn'; message: NewMessage }
  /** Answers the last message again: its turn ended without an answer. */
  | { kind: 'retry-turn' }
  /** An answer of Claude; `awaited` are its calls that a person has to decide on. */
  | { kind: 'reply'; message: NewMessage; awaited: readonly ToolCall[]; cost?: number | undefined }
  | { kind: 'decide-call'; call: string; decision: 'approved' | 'denied'; by: string; reason?: string | undefined }
  | { kind: 'end-turn'; outcome: TurnOutcome }
  | { kind: 'fail-turn'; code: ErrorCode; reason: string }
  | { kind: 'archive' }
  | { kind: 'restore' }
  | { kind: 'close' }
);

export type ConversationEvent = { at: number } & (
  | ({ type: 'ConversationCreated' } & ConversationFacts)
  | { type: 'ConversationUpdated'; changes: Partial<Changeable> }
  | { type: 'MessageAdded'; message: ConversationMessage; cost?: number | undefined }
  | { type: 'TurnStarted' }
  | { type: 'ApprovalRequested'; calls: readonly ToolCall[] }
  | { type: 'ApprovalDecided'; call: string; decision: 'approved' | 'denied'; by: string; reason?: string | undefined }
  | { type: 'TurnEnded'; outcome: TurnOutcome }
  | { type: 'TurnFailed'; code: ErrorCode; reason: string }
  | { type: 'ConversationArchived' }
  | { type: 'ConversationRestored' }
  | { type: 'ConversationClosed' }
);

/** A turn adds several messages, so that this is far above what fits into a request. */
const MAX_MESSAGES = 100_000;

/** The events of `command` for a conversation in this state; `undefined` is one that does not exist yet. */
export function decide(conversation: Conversation | undefined, command: ConversationCommand): ConversationEvent[] {
  const { at } = command;
  if (command.kind === 'create') {
    if (conversation) throw new AppError('CONFLICT', 'The conversation exists already.');
    const { kind: _, ...facts } = command;
    return [{ type: 'ConversationCreated', ...facts }];
  }
  if (!conversation) throw new AppError('NOT_FOUND', 'There is no such conversation.', { field: 'conversation_id' });
  switch (command.kind) {
    case 'update':
      assertNotClosed(conversation);
      return Object.keys(command.changes).length === 0
        ? []
        : [{ type: 'ConversationUpdated', changes: command.changes, at }];
    case 'add-message':
      assertActive(conversation);
      return [added(conversation, command.message, at)];
    case 'begin-turn':
      assertActive(conversation);
      assertNoTurn(conversation);
      return [
        ...(conversation.title === undefined
          ? [{ type: 'ConversationUpdated' as const, changes: { title: titleFrom(command.message) }, at }]
          : []),
        { type: 'TurnStarted', at },
        added(conversation, command.message, at),
      ];
    case 'retry-turn':
      assertActive(conversation);
      assertNoTurn(conversation);
      return [{ type: 'TurnStarted', at }];
    case 'reply': {
      const { message, awaited, cost } = command;
      const reply: ConversationEvent = { ...added(conversation, message, at), ...(cost === undefined ? {} : { cost }) };
      return awaited.length === 0 ? [reply] : [reply, { type: 'ApprovalRequested', calls: awaited, at }];
    }
    case 'decide-call': {
      const { call, decision, by, reason } = command;
      assertAwaited(conversation, call);
      return [{ type: 'ApprovalDecided', call, decision, by, ...(reason === undefined ? {} : { reason }), at }];
    }
    case 'end-turn':
      return hasTurn(conversation) ? [{ type: 'TurnEnded', outcome: command.outcome, at }] : [];
    case 'fail-turn':
      return hasTurn(conversation) ? [{ type: 'TurnFailed', code: command.code, reason: command.reason, at }] : [];
    case 'archive':
      if (conversation.status === 'archived') return [];
      assertActive(conversation);
      assertNoTurn(conversation);
      return [{ type: 'ConversationArchived', at }];
    case 'restore':
      assertNotClosed(conversation);
      return conversation.status === 'active' ? [] : [{ type: 'ConversationRestored', at }];
    case 'close':
      if (conversation.status === 'closed') return [];
      if (conversation.turn.state === 'running') throw busy();
      return [{ type: 'ConversationClosed', at }];
  }
}

export function evolve(conversation: Conversation | undefined, event: ConversationEvent): Conversation {
  if (event.type === 'ConversationCreated') {
    const { type: _, at, ...facts } = event;
    return {
      ...facts,
      version: 1,
      status: 'active',
      turn: { state: 'idle' },
      messageCount: 0,
      usage: NO_USAGE,
      createdAt: at,
      changedAt: at,
    };
  }
  if (!conversation) throw new Error(`${event.type} before ConversationCreated`);
  return { ...changed(conversation, event), version: conversation.version + 1, changedAt: event.at };
}

function changed(
  conversation: Conversation,
  event: Exclude<ConversationEvent, { type: 'ConversationCreated' }>,
): Conversation {
  const { turn } = conversation;
  switch (event.type) {
    case 'ConversationUpdated':
      return { ...conversation, ...event.changes };
    case 'MessageAdded': {
      const { message, cost } = event;
      const usage = message.usage ? addUsage(conversation.usage, message.usage) : conversation.usage;
      const total = cost === undefined ? conversation.cost : (conversation.cost ?? 0) + cost;
      const withMessage = {
        ...conversation,
        messageCount: message.number,
        usage,
        ...(total === undefined ? {} : { cost: total }),
      };
      // What was decided is for the calls of one answer.
      return turn.state === 'running' ? { ...withMessage, turn: { state: 'running' } } : withMessage;
    }
    case 'TurnStarted':
      return { ...conversation, turn: { state: 'running' } };
    case 'ApprovalRequested':
      return { ...conversation, turn: { state: 'awaiting_approval', calls: event.calls } };
    case 'ApprovalDecided': {
      if (turn.state !== 'awaiting_approval') return conversation;
      const { call: id, decision, by, reason } = event;
      const decided = { decision, decidedBy: by, ...(reason === undefined ? {} : { reason }) };
      const calls = turn.calls.map((call) => (call.id === id ? { ...call, ...decided } : call));
      const isComplete = calls.every((call) => call.decision !== undefined);
      return {
        ...conversation,
        turn: isComplete ? { state: 'running', decided: calls } : { state: 'awaiting_approval', calls },
      };
    }
    case 'TurnEnded':
      return { ...conversation, turn: { state: 'idle', outcome: event.outcome } };
    case 'TurnFailed':
      return { ...conversation, turn: { state: 'failed', code: event.code, reason: event.reason } };
    case 'ConversationArchived':
      return { ...conversation, status: 'archived' };
    case 'ConversationRestored':
      return { ...conversation, status: 'active' };
    case 'ConversationClosed':
      return { ...conversation, status: 'closed', turn: { state: 'idle' } };
  }
}

/** The state after a command, with what led to it. */
export function follow(
  conversation: Conversation | undefined,
  command: ConversationCommand,
): { conversation: Conversation; events: readonly ConversationEvent[] } {
  const events = decide(conversation, command);
  const next = events.reduce<Conversation | undefined>(evolve, conversation);
  if (!next) throw new Error('a command that creates nothing needs a conversation');
  return { conversation: next, events };
}

function hasTurn({ turn }: Conversation): boolean {
  return turn.state === 'running' || turn.state === 'awaiting_approval';
}

/** A title for lists: the one it was given, or the beginning of what was said first. */
function titleFrom(message: Pick<ConversationMessage, 'content'>): string {
  const line = textOf(message).trim().split('\n', 1)[0] ?? '';
  const characters = [...line];
  return characters.length <= MAX_TITLE ? line : `${characters.slice(0, MAX_TITLE - 1).join('')}…`;
}

const MAX_TITLE = 80;

function added(
  { messageCount }: Conversation,
  message: NewMessage,
  at: number,
): ConversationEvent & { type: 'MessageAdded' } {
  if (messageCount >= MAX_MESSAGES)
    throw new AppError('TOO_LARGE', `A conversation has at most ${MAX_MESSAGES} messages.`);
  return { type: 'MessageAdded', message: { ...message, number: messageCount + 1 }, at };
}

function assertActive({ status }: Conversation): void {
  if (status === 'active') return;
  throw new AppError('CONFLICT', `The conversation is ${status}.`, {
    field: 'conversation_id',
    ...(status === 'archived' ? { hint: 'Restore it first: conversation_archive with restore: true.' } : {}),
  });
}

function assertNotClosed({ status }: Conversation): void {
  if (status === 'closed') throw new AppError('CONFLICT', 'The conversation is closed.', { field: 'conversation_id' });
}

function assertNoTurn({ turn }: Conversation): void {
  if (turn.state === 'running') throw busy();
  if (turn.state !== 'awaiting_approval') return;
  throw new AppError('CONFLICT', 'The conversation waits for a person to approve a call.', {
    field: 'conversation_id',
    hint: 'The person decides with `switchboard conversation approve`; conversation_cancel ends the turn.',
  });
}

function assertAwaited({ turn }: Conversation, id: string): void {
  const call = turn.state === 'awaiting_approval' ? turn.calls.find((one) => one.id === id) : undefined;
  if (!call) throw new AppError('NOT_FOUND', 'No such call waits for approval.', { field: 'call_id' });
  if (call.decision) throw new AppError('CONFLICT', `This call was ${call.decision} already.`, { field: 'call_id' });
}

function busy(): AppError {
  return new AppError('BUSY', 'Claude is answering in this conversation.', {
    hint: 'Wait for the answer, or end the turn with conversation_cancel.',
  });
}
