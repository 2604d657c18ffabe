import { z } from 'zod';
import type { Conversation } from '../../domain/conversation.ts';
import { type ConversationMessage, callsIn, resultsIn, textOf } from '../../domain/conversation-message.ts';
import { AppError } from '../../domain/errors.ts';
import type { ConversationId } from '../../domain/ids.ts';
import { addUsage, NO_USAGE } from '../../domain/token-usage.ts';
import type { ClaudeContext } from '../context.ts';
import { callLine, rounded, toUsageView, toWaiting, UsageView, WaitingCall } from '../conversation-view.ts';

export const TurnOutput = z.object({
  conversation_id: z.string(),
  message_id: z.string().optional(),
  status: z.enum(['done', 'running', 'awaiting_approval', 'cancelled', 'limit_reached', 'interrupted']),
  text: z.string(),
  stop_reason: z.string().optional(),
  tool_calls: z.array(z.object({ call_id: z.string(), tool: z.string(), is_error: z.boolean().optional() })).optional(),
  waiting: z.array(WaitingCall).optional(),
  usage: UsageView.optional(),
  cost_usd: z.number().optional(),
});

export type TurnView = z.output<typeof TurnOutput>;

/** What has become of the turn that began with the message of this number. Throws where it failed. */
export async function turnView(
  { conversations }: Pick<ClaudeContext, 'conversations'>,
  id: ConversationId,
  number: number,
): Promise<TurnView> {
  const conversation = await conversations.get(id);
  const since = await conversations.messages(id, { limit: Math.max(conversation.messageCount - number + 1, 1) });
  const [, ...answers] = turnOf(since);
  const isLast = answers.at(-1)?.number === conversation.messageCount || answers.length === 0;
  if (isLast && conversation.turn.state === 'failed') {
    const { code, reason } = conversation.turn;
    throw new AppError(code, reason, {
      hint: 'The message is kept. Send it again with its client_message_id, or send another.',
    });
  }
  const replies = answers.filter(({ role }) => role === 'assistant');
  const last = replies.at(-1);
  const usage = replies.reduce((sum, message) => (message.usage ? addUsage(sum, message.usage) : sum), NO_USAGE);
  const calls = callsOf(answers);
  return {
    conversation_id: id,
    ...(last ? { message_id: last.id } : {}),
    status: isLast ? statusOf(conversation) : 'done',
    text: replies
      .map(textOf)
      .filter((text) => text !== '')
      .join('\n\n'),
    ...(last?.stopReason === undefined ? {} : { stop_reason: last.stopReason }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(isLast && conversation.turn.state === 'awaiting_approval' ? { waiting: toWaiting(conversation) } : {}),
    ...(replies.length === 0 ? {} : { usage: toUsageView(usage) }),
    ...(conversation.cost === undefined ? {} : { cost_usd: rounded(conversation.cost) }),
  };
}

/** The message itself and what followed until somebody spoke again; results of tools belong to the turn. */
function turnOf(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const next = messages.findIndex(({ role, author }, index) => index > 0 && role === 'user' && author !== undefined);
  return next === -1 ? messages : messages.slice(0, next);
}

function callsOf(messages: readonly ConversationMessage[]): NonNullable<TurnView['tool_calls']> {
  const results = new Map(messages.flatMap((message) => [...resultsIn(message)]));
  return messages.flatMap(callsIn).map(({ id, tool }) => {
    const result = results.get(id);
    return { call_id: id, tool, ...(result ? { is_error: result.isError } : {}) };
  });
}

function statusOf({ turn }: Conversation): TurnView['status'] {
  if (turn.state === 'running' || turn.state === 'awaiting_approval') return turn.state;
  return turn.state === 'idle' ? (turn.outcome ?? 'done') : 'interrupted';
}

const NOTES: Partial<Record<TurnView['status'], string>> = {
  running: 'Claude is answering; conversation_history shows the answer.',
  cancelled: '[The turn was cancelled.]',
  limit_reached: '[A limit of the conversation was reached before Claude had finished.]',
  interrupted: '[The turn was interrupted.]',
};

export function renderTurn({ conversation_id: id, status, text, waiting = [] }: TurnView): string {
  if (status === 'awaiting_approval') {
    const calls = waiting.map(callLine).join('\n');
    return [text, `The person has to approve, with \`switchboard conversation approve ${id}\`:`, calls]
      .filter(Boolean)
      .join('\n\n');
  }
  return [text, NOTES[status] ?? ''].filter(Boolean).join('\n\n');
}
