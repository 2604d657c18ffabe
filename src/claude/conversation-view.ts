import { z } from 'zod';
import type { Conversation } from '../domain/conversation.ts';
import { type ConversationMessage, callsIn, resultsIn, textOf } from '../domain/conversation-message.ts';
import type { TokenUsage } from '../domain/token-usage.ts';
import { quotedName } from '../lib/shown-name.ts';
import { visible } from '../lib/visible.ts';

export const ConversationRef = z.string().min(1).max(64).describe('Id of the conversation.');

export const UsageView = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
});

export const WaitingCall = z.object({
  call_id: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  decision: z.string().optional(),
});

export const ConversationView = z.object({
  conversation_id: z.string(),
  title: z.string(),
  status: z.string().describe('active, archived or closed.'),
  turn: z.string().describe('idle, running, awaiting_approval, failed, or how the last one ended.'),
  model: z.string(),
  system: z.string().optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  tools: z.array(z.string()),
  auto_approve: z.array(z.string()).optional(),
  budget: z.record(z.string(), z.number()).optional(),
  messages: z.int().describe('Number of messages.'),
  usage: UsageView,
  cost_usd: z.number().optional(),
  owner: z.string(),
  created_at: z.string(),
  changed_at: z.string(),
  forked_from: z.string().optional(),
  waiting: z.array(WaitingCall).optional(),
  problem: z.string().optional(),
});

/** For commands that change little. */
export const ConversationSummary = ConversationView.pick({
  conversation_id: true,
  title: true,
  status: true,
  turn: true,
  model: true,
  messages: true,
});

export const MessageView = z.object({
  message_id: z.string(),
  number: z.int(),
  role: z.string(),
  text: z.string(),
  timestamp: z.string(),
  state: z.string(),
  author: z.string().optional(),
  stop_reason: z.string().optional(),
  tool_calls: z.array(z.object({ call_id: z.string(), tool: z.string() })).optional(),
  tool_results: z.array(z.object({ call_id: z.string(), is_error: z.boolean() })).optional(),
  content: z.array(z.record(z.string(), z.unknown())).optional(),
});

export function toUsageView({ input, output, cacheRead, cacheWrite }: TokenUsage): z.output<typeof UsageView> {
  return { input_tokens: input, output_tokens: output, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite };
}

export function toConversationView(conversation: Conversation): z.input<typeof ConversationView> {
  const { title = '', turn, settings, budget, autoApprove, cost, forkedFrom, system } = conversation;
  const chosen = defined({
    max_tokens: settings.maxTokens,
    effort: settings.effort,
    stop_sequences: settings.stopSequences && [...settings.stopSequences],
  });
  const limits = defined({ ...budget }) as Record<string, number>;
  return {
    conversation_id: conversation.id,
    title,
    status: conversation.status,
    turn: turn.state === 'idle' ? (turn.outcome ?? 'idle') : turn.state,
    model: conversation.model,
    ...(system === undefined ? {} : { system }),
    ...(Object.keys(chosen).length === 0 ? {} : { settings: chosen as Record<string, string> }),
    tools: [...conversation.tools],
    ...(autoApprove.length === 0 ? {} : { auto_approve: [...autoApprove] }),
    ...(Object.keys(limits).length === 0 ? {} : { budget: limits }),
    messages: conversation.messageCount,
    usage: toUsageView(conversation.usage),
    ...(cost === undefined ? {} : { cost_usd: rounded(cost) }),
    owner: conversation.owner,
    created_at: timestamp(conversation.createdAt),
    changed_at: timestamp(conversation.changedAt),
    ...(forkedFrom === undefined ? {} : { forked_from: forkedFrom }),
    ...(turn.state === 'awaiting_approval' ? { waiting: toWaiting(conversation) } : {}),
    ...(turn.state === 'failed' ? { problem: turn.reason } : {}),
  };
}

export function toWaiting({ turn }: Conversation): z.output<typeof WaitingCall>[] {
  if (turn.state !== 'awaiting_approval') return [];
  return turn.calls.map(({ id, tool, input, decision }) => ({
    call_id: id,
    tool,
    input,
    ...(decision === undefined ? {} : { decision }),
  }));
}

export function toMessageView(message: ConversationMessage, isFull: boolean): z.input<typeof MessageView> {
  const calls = callsIn(message);
  const results = [...resultsIn(message)];
  return {
    message_id: message.id,
    number: message.number,
    role: message.role,
    text: textOf(message),
    timestamp: timestamp(message.at),
    state: message.state,
    ...(message.author === undefined ? {} : { author: message.author }),
    ...(message.stopReason === undefined ? {} : { stop_reason: message.stopReason }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ id, tool }) => ({ call_id: id, tool })) }),
    ...(results.length === 0
      ? {}
      : { tool_results: results.map(([id, { isError }]) => ({ call_id: id, is_error: isError })) }),
    ...(isFull ? { content: [...message.content] } : {}),
  };
}

/** In a list over MCP: without the settings, the usage, and what is so of most conversations. */
export function compactConversation(view: z.output<typeof ConversationView>) {
  const { conversation_id: id, title, status, turn, model, messages, changed_at: changedAt } = view;
  const { cost_usd: cost, waiting, problem } = view;
  return defined({
    conversation_id: id,
    title,
    status,
    turn: isAtRest(turn) ? undefined : turn,
    model,
    messages,
    cost_usd: cost,
    changed_at: changedAt,
    waiting,
    problem,
  });
}

type Line = z.output<typeof ConversationSummary> &
  Partial<Pick<z.output<typeof ConversationView>, 'changed_at' | 'cost_usd' | 'waiting' | 'problem'>>;

export function conversationLine(view: Line): string {
  const { conversation_id: id, title, status, turn, model, messages, cost_usd: cost, changed_at: changedAt } = view;
  const facts = [
    isAtRest(turn) ? status : `${status}, ${turn}`,
    model,
    `${messages} messages`,
    ...(cost === undefined ? [] : [`${cost} USD`]),
    ...(changedAt === undefined ? [] : [`changed at ${changedAt}`]),
  ];
  const waiting = view.waiting ? `; waiting for approval: ${view.waiting.map(callLine).join('; ')}` : '';
  const problem = view.problem === undefined ? '' : `: ${visible(view.problem)}`;
  return `${id} ${quotedName(title)} (${facts.join(', ')})${problem}${waiting}`;
}

function isAtRest(turn: string): boolean {
  return turn === 'idle' || turn === 'done';
}

/** In a list over MCP: without what is so of most messages. */
export function compactMessage({ state, ...message }: z.output<typeof MessageView>) {
  return { ...message, ...(state === 'complete' ? {} : { state }) };
}

export function messageLines({ number, role, text, tool_calls: calls = [] }: z.output<typeof MessageView>): string {
  const used = calls.length === 0 ? '' : ` [calls ${calls.map(({ tool }) => visible(tool)).join(', ')}]`;
  return `${number} ${role}:${used} ${text}`;
}

/** The same for a model, with the id that other tools take. */
export function messageLinesWithId(message: z.output<typeof MessageView>): string {
  const { message_id: id, timestamp: at, state } = message;
  return `[${at}, message_id ${id}${state === 'complete' ? '' : `, ${state}`}] ${messageLines(message)}`;
}

export function callLine({ call_id: id, tool, input, decision }: z.output<typeof WaitingCall>): string {
  return `${id}: ${tool} ${visible(JSON.stringify(input))}${decision === undefined ? '' : ` (${decision})`}`;
}

export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

/** To a millionth of a dollar. */
export function rounded(cost: number): number {
  return Math.round(cost * 1e6) / 1e6;
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
