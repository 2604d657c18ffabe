import type { JsonObject } from './json.ts';
import type { TokenUsage } from './token-usage.ts';

/** A message of a conversation with Claude. Its blocks are those of the API, unchanged, so that it can be sent again. */
export interface ConversationMessage {
  id: string;
  /** Position in its conversation, from 1. */
  number: number;
  role: 'user' | 'assistant';
  content: readonly JsonObject[];
  at: number;
  /** `partial`: the answer broke off, and this is what had arrived. */
  state: 'complete' | 'partial';
  /** Chosen by the client that sent it: the same one is sent once. */
  clientId?: string;
  /** Name of the principal that wrote it. */
  author?: string;
  model?: string;
  stopReason?: string;
  usage?: TokenUsage;
  requestId?: string;
}

/** A call of a tool in an answer. */
export interface ToolCall {
  id: string;
  tool: string;
  input: JsonObject;
}

/** What people wrote and Claude answered, without calls of tools and their results. */
export function textOf({ content }: Pick<ConversationMessage, 'content'>): string {
  return content
    .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
    .join('\n\n');
}

export function callsIn({ content }: Pick<ConversationMessage, 'content'>): readonly ToolCall[] {
  return content.flatMap(({ type, id, name, input }) =>
    type === 'tool_use' && typeof id === 'string' && typeof name === 'string'
      ? [{ id, tool: name, input: inputOf(input) }]
      : [],
  );
}

/** Ids of calls, and whether each failed, in a message with their results. */
export function resultsIn({
  content,
}: Pick<ConversationMessage, 'content'>): ReadonlyMap<string, { isError: boolean }> {
  return new Map(
    content.flatMap(({ type, tool_use_id: id, is_error: isError }) =>
      type === 'tool_result' && typeof id === 'string' ? [[id, { isError: isError === true }] as const] : [],
    ),
  );
}

/** Calls at the end of a history that have no result: the process ended, or the turn was cancelled, before they had one. */
export function unansweredCalls(
  messages: readonly Pick<ConversationMessage, 'role' | 'content'>[],
): readonly ToolCall[] {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? callsIn(last) : [];
}

const UNKNOWN_OUTCOME =
  'The turn ended before this call had a result. It is not known whether it was carried out; do not repeat it without asking.';

/** The API takes a message after calls only with a result for each of them. */
export function asUnanswered(calls: readonly ToolCall[]): readonly JsonObject[] {
  return calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, is_error: true, content: UNKNOWN_OUTCOME }));
}

export function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

function inputOf(input: unknown): JsonObject {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : {};
}
