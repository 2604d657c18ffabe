import type { AgentTools } from '../../domain/agent-tool.ts';
import type { Conversation, ConversationCommand, NewMessage, TurnOutcome } from '../../domain/conversation.ts';
import { callsIn, type ToolCall, textBlock } from '../../domain/conversation-message.ts';
import { toAppError } from '../../domain/errors.ts';
import type { ConversationId } from '../../domain/ids.ts';
import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Principal } from '../../domain/principal.ts';
import { costOf } from '../../domain/token-usage.ts';
import { randomHex } from '../../lib/chance.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ApiMessage, ClaudeApi, ClaudeReply } from '../api/request.ts';
import { changeConversation } from '../change-conversation.ts';
import { sessionOf } from '../conversation-principal.ts';
import type { ConversationRepository } from '../ports.ts';
import type { ClaudeSettings } from '../settings.ts';
import { limitsOf, priceOf, usedUp } from './limits.ts';
import { allowedTools, callsToApprove, runnableTool } from './turn-tools.ts';

export interface TurnParts {
  conversations: Pick<ConversationRepository, 'find' | 'save' | 'messages'>;
  api(): Promise<ClaudeApi>;
  settings(): Promise<ClaudeSettings>;
  tools: Pick<AgentTools, 'list'>;
  principalOf(conversation: Conversation): Promise<Principal>;
  clock: Clock;
  log: Log;
}

/** Followers of a running turn. */
export interface TurnListener {
  onText?(part: string): void;
  /** Tools have run; what Claude says next may come from what they returned. */
  onStep?(): Promise<void>;
}

/** Why a turn is ended from outside, as the reason of its signal. */
export type EndReason = Extract<TurnOutcome, 'cancelled' | 'interrupted'>;

/**
 * Runs a turn that has begun, until Claude has answered, a person has to decide, or a limit is reached. Every step is stored
 * before the next one. Does not throw: a failure is a state of the conversation.
 */
export async function runTurn(
  parts: TurnParts,
  id: ConversationId,
  ended: AbortSignal,
  listener: Required<TurnListener>,
): Promise<void> {
  const { conversations, clock, log } = parts;
  const apply = (command: ConversationCommand) => changeConversation(conversations, id, command);
  const expired = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    const conversation = await conversations.find(id);
    if (!conversation) return;
    const { claude: section } = await parts.settings();
    timer = setTimeout(() => expired.abort(), limitsOf(conversation, section).timeoutMs);
    const outcome = await steps(parts, conversation, AbortSignal.any([ended, expired.signal]), listener);
    if (outcome !== 'awaiting_approval') await apply({ kind: 'end-turn', outcome, at: clock.now() });
  } catch (thrown) {
    await end(thrown).catch((err: unknown) =>
      log.error({ err, conversation: id }, 'the end of a turn could not be stored'),
    );
  } finally {
    clearTimeout(timer);
  }

  async function end(thrown: unknown): Promise<void> {
    const at = clock.now();
    const partial = partialTextOf(thrown);
    if (partial !== undefined) await apply({ kind: 'reply', message: partialMessage(partial, at), awaited: [], at });
    if (ended.aborted) await apply({ kind: 'end-turn', outcome: ended.reason as EndReason, at });
    else if (expired.signal.aborted) await apply({ kind: 'end-turn', outcome: 'limit_reached', at });
    else {
      const { code, message, cause } = toAppError(thrown);
      if (code === 'INTERNAL') log.error({ err: cause ?? thrown, conversation: id }, 'a turn of a conversation failed');
      await apply({ kind: 'fail-turn', code, reason: message, at });
    }
  }
}

async function steps(
  parts: TurnParts,
  conversation: Conversation,
  signal: AbortSignal,
  listener: Required<TurnListener>,
): Promise<TurnOutcome | 'awaiting_approval'> {
  const { conversations, clock } = parts;
  const { id, turn } = conversation;
  const [{ claude: section }, api, principal, history] = await Promise.all([
    parts.settings(),
    parts.api(),
    parts.principalOf(conversation),
    conversations.messages(id),
  ]);
  const limits = limitsOf(conversation, section);
  const tools = allowedTools(conversation, parts.tools.list(principal));
  const decided = turn.state === 'running' ? (turn.decided ?? []) : [];
  const callerNow = async () => ({ principal: await parts.principalOf(conversation), session: sessionOf(id) });
  const apply = (command: ConversationCommand) => changeConversation(conversations, id, command);
  let iterations = 0;
  let outcome: TurnOutcome | 'awaiting_approval' = 'done';

  async function addResults(content: readonly JsonObject[]): Promise<void> {
    const at = clock.now();
    const message: NewMessage = { id: newId(at, randomHex), role: 'user', content, at, state: 'complete' };
    await apply({ kind: 'add-message', message, at });
  }

  /** Stores an answer. Whether the turn goes on. */
  async function onReply(reply: ClaudeReply): Promise<boolean> {
    iterations += 1;
    const at = clock.now();
    const message = replyMessage(reply, at);
    const calls = reply.stopReason === 'tool_use' ? callsIn(message) : [];
    const awaited = callsToApprove(calls, tools, conversation);
    const cost = costOf(reply.usage, priceOf(conversation.model, section));
    const next = await apply({ kind: 'reply', message, awaited, cost, at });
    if (awaited.length > 0) {
      outcome = 'awaiting_approval';
      return false;
    }
    const goesOn = calls.length > 0 || reply.stopReason === 'pause_turn';
    if (!goesOn) return false;
    if (iterations < limits.iterations && !usedUp(next, limits)) return true;
    outcome = 'limit_reached';
    if (calls.length > 0) await addResults(notCarriedOut(calls));
    return false;
  }

  await api.converse(
    {
      model: conversation.model,
      maxTokens: conversation.settings.maxTokens ?? section.max_tokens,
      system: conversation.system,
      effort: conversation.settings.effort,
      stopSequences: conversation.settings.stopSequences,
      messages: toApiMessages(history),
    },
    tools.map((tool) => runnableTool(tool, callerNow, decided)),
    {
      signal,
      onText: listener.onText,
      onReply,
      async onResults(results) {
        await addResults(results);
        await listener.onStep();
        return true;
      },
    },
  );
  return outcome;
}

/** The API refuses messages without content. */
function toApiMessages(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  return messages.filter(({ content }) => content.length > 0).map(({ role, content }) => ({ role, content }));
}

function replyMessage({ content, model, stopReason, usage, requestId }: ClaudeReply, at: number): NewMessage {
  return {
    id: newId(at, randomHex),
    role: 'assistant',
    content,
    at,
    state: 'complete',
    model,
    stopReason,
    usage,
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** An unfinished call of a tool has no input, so that only text is kept. */
function partialMessage(text: string, at: number): NewMessage {
  return { id: newId(at, randomHex), role: 'assistant', content: [textBlock(text)], at, state: 'partial' };
}

function partialTextOf(thrown: unknown): string | undefined {
  const { partialText } = (thrown ?? {}) as { partialText?: unknown };
  return typeof partialText === 'string' && partialText.trim() !== '' ? partialText : undefined;
}

function notCarriedOut(calls: readonly ToolCall[]): JsonObject[] {
  const content = 'Not carried out: a limit of this conversation was reached.';
  return calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, is_error: true, content }));
}
