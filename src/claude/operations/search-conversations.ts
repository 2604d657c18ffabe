import { z } from 'zod';
import { textOf } from '../../domain/conversation-message.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ClaudeContext } from '../context.ts';
import { timestamp } from '../conversation-view.ts';

const Found = z.object({
  conversation_id: z.string(),
  title: z.string(),
  message_id: z.string(),
  number: z.int(),
  role: z.string(),
  text: z.string(),
  timestamp: z.string(),
});

const asLine = ({ conversation_id: id, number, role, text }: z.output<typeof Found>) =>
  `${id} ${number} ${role}: ${visible(text)}`;

/** The same for a model, with the id that other tools take. */
const asWholeLine = (found: z.output<typeof Found>) =>
  `[${found.timestamp}, ${quotedName(found.title)}, message_id ${found.message_id}] ${asLine(found)}`;

export const searchConversations = operation({
  mcp: { name: 'conversation_search', title: 'Search conversations with Claude' },
  cli: {
    path: 'conversation search',
    positionals: ['query'],
    list: {
      key: 'messages',
      columns: ['conversation_id', 'number', 'role', 'text'],
      wholeText: true,
      line: (found) => asLine(Found.parse(found)),
    },
  },
  rest: { method: 'GET', path: '/conversations/search' },
  kind: 'query',
  effect: 'reads',
  description: 'Searches what was said in conversations with Claude, newest first.',
  input: z.strictObject({
    query: z.string().min(1).max(1_000).describe('Words that a message contains.'),
    limit: z.int().min(1).max(200).default(20).describe('Maximum number.'),
  }),
  output: z.object({ messages: z.array(Found) }),
  async run({ query, limit }, { conversations }: OperationContext & ClaudeContext) {
    const found = await conversations.search(query, { limit });
    return {
      messages: found.map(({ conversation: { id, title = '' }, message }) => ({
        conversation_id: id,
        title,
        message_id: message.id,
        number: message.number,
        role: message.role,
        text: excerpt(textOf(message)).text,
        timestamp: timestamp(message.at),
      })),
    };
  },
  render: ({ messages }) => messages.map(asWholeLine).join('\n') || 'Nothing matches.',
});
