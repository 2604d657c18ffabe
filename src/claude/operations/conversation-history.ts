import { z } from 'zod';
import { CUT } from '../../lib/answer-size.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ClaudeContext } from '../context.ts';
import {
  ConversationRef,
  compactMessage,
  MessageView,
  messageLines,
  messageLinesWithId,
  toMessageView,
} from '../conversation-view.ts';
import { newestThatFit } from '../message-page.ts';

export const conversationHistory = operation({
  mcp: {
    name: 'conversation_history',
    title: 'History of a conversation',
    structured: ({ messages, ...rest }) => ({ ...rest, messages: messages.map(compactMessage) }),
  },
  cli: {
    path: 'conversation history',
    positionals: ['conversation_id'],
    list: {
      key: 'messages',
      columns: ['number', 'role', 'timestamp', 'text'],
      wholeText: true,
      line: (message) => messageLines(MessageView.parse(message)),
      format: 'compact',
    },
  },
  rest: { method: 'GET', path: '/conversations/:conversation_id/messages' },
  kind: 'query',
  effect: 'reads',
  description: 'Messages of a conversation with Claude: the newest ones, in their order.',
  input: z.strictObject({
    conversation_id: ConversationRef,
    limit: z.int().min(1).max(500).default(50).describe('Maximum number.'),
    cursor: z
      .string()
      .regex(/^\d{1,9}$/, 'must be a next_cursor')
      .optional()
      .describe('next_cursor of an earlier answer.'),
    include: z.enum(['text', 'full']).default('text').describe('full: with calls of tools and their results.'),
  }),
  output: z.object({
    conversation_id: z.string(),
    messages: z.array(MessageView),
    next_cursor: z.string().optional().describe('cursor of the next page.'),
    is_cut: z.boolean().optional().describe('Ended because of its size.'),
  }),
  async run(
    { conversation_id: wanted, limit, cursor, include },
    { conversations, door }: OperationContext & ClaudeContext,
  ) {
    const { id } = await conversations.get(wanted);
    const isFull = include === 'full';
    const found = await conversations.messages(id, {
      limit,
      ...(cursor === undefined ? {} : { before: Number(cursor) }),
    });
    const page = newestThatFit(found, (message) => toMessageView(message, isFull), door === 'mcp' && !isFull);
    const first = page[0]?.number ?? 1;
    return {
      conversation_id: id,
      messages: page.map((message) => toMessageView(message, isFull)),
      ...(first > 1 ? { next_cursor: String(first) } : {}),
      ...(page.length < found.length ? { is_cut: true } : {}),
    };
  },
  render: ({ messages, next_cursor: next, is_cut: isCut }) =>
    [
      ...(next === undefined ? [] : [`${isCut ? CUT : 'There are older ones'}: cursor ${next}`]),
      messages.map(messageLinesWithId).join('\n') || 'Nothing was said yet.',
    ].join('\n'),
});
