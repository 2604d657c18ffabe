import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type Listing, operation } from '../../operation.ts';
import { sanitize } from '../lookup.ts';
import { messageLine } from '../message-line.ts';
import { MessageView, toMessageView } from '../message-view.ts';
import type { MessageStore } from '../ports.ts';
import type { Sources } from '../sources.ts';
import { messageList } from './message-list.ts';
import { compactMessages, qualifiedChat } from './message-query.ts';

/** Messages that it answers, and its answers. */
const MAX_THREAD = 100;

export interface ThreadParts {
  messages: MessageStore;
  sources: Pick<Sources, 'find'>;
}

const ThreadMessage = MessageView.extend({ in_thread: z.boolean().optional() });

export const getThread = operation({
  mcp: {
    name: 'get_thread',
    title: 'What a message is part of',
    combinedOnly: true,
    structured: (output, asked) => compactMessages(output, asked),
  },
  cli: {
    path: 'chat thread',
    positionals: ['message_id'],
    examples: ['switchboard chat thread 1868123456789', 'switchboard chat thread 1868123456789 --before 20'],
    list: {
      ...messageList,
      columns: ['time', 'chat', 'sender', 'id', 'thread', 'text'],
      wholeText: true,
      row: (message: z.output<typeof ThreadMessage>, listing: Listing<z.output<typeof ThreadMessage>>) => ({
        ...messageList.row?.(message, listing),
        thread: message.id === listing.input.message_id ? 'this one' : message.in_thread,
      }),
    },
  },
  rest: { method: 'GET', path: '/messages/:message_id/thread' },
  kind: 'query',
  effect: 'reads',
  description: 'A message with the messages it replies to, its replies, and the messages around it; oldest first.',
  input: z.strictObject({
    message_id: z.string().min(1).max(100).describe('Id of a message.'),
    before: z.int().min(0).max(100).default(5).describe('Messages before it.'),
    after: z.int().min(0).max(100).default(5).describe('Messages after it.'),
  }),
  output: z.object({ message_id: z.string(), messages: z.array(ThreadMessage) }),
  async run({ message_id: id, before, after }, { messages, sources }: ThreadParts) {
    const found = await messages.byId(id);
    if (!found || !(await sources.find(found.source))) {
      throw new AppError('MESSAGE_NOT_FOUND', `Message '${sanitize(id)}' not found`, {
        field: 'message_id',
        hint: 'Ids of messages are in the answers of reading and searching.',
      });
    }
    const [thread, around] = await Promise.all([messages.thread(id, MAX_THREAD), messages.around(id, before, after)]);
    const inThread = new Set(thread.length > 1 ? thread.map((message) => message.id) : []);
    const all = new Map([...thread, ...around, found].map((message) => [message.id, message]));
    const inOrder = [...all.values()].sort((a, b) => Number(a.id) - Number(b.id));
    return {
      message_id: found.id,
      messages: inOrder.map((message) => ({
        ...toMessageView(message),
        ...(inThread.has(message.id) ? { in_thread: true } : {}),
      })),
    };
  },
  render: ({ message_id: id, messages }) =>
    messages
      .map((message) => {
        const part = message.in_thread ? ', in the thread' : '';
        return `${messageLine(message, qualifiedChat(message))} (id ${message.id}${message.id === id ? ', the message itself' : part})`;
      })
      .join('\n'),
});
