import { z } from 'zod';
import type { Conversation } from '../../domain/conversation.ts';
import { AppError } from '../../domain/errors.ts';
import type { ConversationId } from '../../domain/ids.ts';
import { bytesInAnswer, CUT, fittingPage } from '../../lib/answer-size.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ClaudeContext } from '../context.ts';
import { ConversationView, compactConversation, conversationLine, toConversationView } from '../conversation-view.ts';

export const listConversations = operation({
  mcp: {
    name: 'conversation_list',
    title: 'List conversations with Claude',
    structured: ({ conversations, ...rest }) => ({ ...rest, conversations: conversations.map(compactConversation) }),
  },
  cli: {
    path: 'conversation list',
    list: {
      key: 'conversations',
      columns: ['conversation_id', 'title', 'status', 'turn', 'model', 'messages', 'changed_at'],
      line: (conversation) => conversationLine(ConversationView.parse(conversation)),
    },
  },
  rest: { method: 'GET', path: '/conversations' },
  kind: 'query',
  effect: 'reads',
  description: 'Lists conversations with Claude; the one that changed last is first.',
  input: z.strictObject({
    status: z.enum(['active', 'archived', 'closed']).optional().describe('Only those in this state.'),
    query: z.string().max(200).optional().describe('Only those whose title contains this.'),
    limit: z.int().min(1).max(500).default(50).describe('Maximum number.'),
    cursor: z.string().max(100).optional().describe('next_cursor of an earlier answer.'),
  }),
  output: z.object({
    conversations: z.array(ConversationView),
    next_cursor: z.string().optional().describe('cursor of the next page.'),
    is_cut: z.boolean().optional().describe('Ended because of its size.'),
  }),
  async run({ status, query, limit, cursor }, { conversations, door }: OperationContext & ClaudeContext) {
    const page = await conversations.list({
      limit,
      ...(status === undefined ? {} : { status }),
      ...(query === undefined ? {} : { title: query }),
      ...(cursor === undefined ? {} : { after: placeIn(cursor) }),
    });
    const { items, isCut } =
      door === 'mcp' ? fittingPage(page, bytesOf, { isAsked: true }) : { items: page, isCut: false };
    const last = isCut || page.length === limit ? items.at(-1) : undefined;
    return {
      conversations: items.map(toConversationView),
      ...(last ? { next_cursor: cursorOf(last) } : {}),
      ...(isCut ? { is_cut: true } : {}),
    };
  },
  render: ({ conversations, next_cursor: next, is_cut: isCut }) =>
    [
      conversations.map(conversationLine).join('\n') || 'There is no conversation.',
      ...(next === undefined ? [] : [`${isCut ? CUT : 'There are more'}: cursor ${next}`]),
    ].join('\n'),
});

function bytesOf(conversation: Conversation) {
  const view = ConversationView.parse(toConversationView(conversation));
  return bytesInAnswer(compactConversation(view), conversationLine(view));
}

function cursorOf({ changedAt, id }: Conversation): string {
  return `${changedAt}.${id}`;
}

function placeIn(cursor: string): { changedAt: number; id: ConversationId } {
  const [, changedAt, id] = /^(\d{1,16})\.([a-z\d]{1,64})$/.exec(cursor) ?? [];
  if (id === undefined) throw new AppError('VALIDATION_ERROR', 'This is no next_cursor.', { field: 'cursor' });
  return { changedAt: Number(changedAt), id: id as ConversationId };
}
