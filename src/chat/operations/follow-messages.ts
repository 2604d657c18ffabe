import { z } from 'zod';
import type { EventLog } from '../../domain/event-log.ts';
import { type Listing, operation } from '../../operation.ts';
import { messageLine } from '../message-line.ts';
import { type MessageView, toMessageView } from '../message-view.ts';
import type { MessageFilter, StoredMessage } from '../ports.ts';
import { messageList } from './message-list.ts';
import {
  filterOf,
  getMessages,
  type MessageQuery,
  MessagesOutput,
  messageFilter,
  paging,
  placeOf,
  type QueryParts,
} from './message-query.ts';
import { placeIn } from './place.ts';

export interface FollowParts extends QueryParts {
  events: Pick<EventLog, 'read' | 'range'>;
}

const { source: _, chat: __, ...filter } = messageFilter;

type Message = z.output<typeof MessageView>;

export const messagesCommand = operation({
  cli: {
    path: 'chat messages',
    positionals: ['where'],
    letters: { f: 'follow', n: 'limit' },
    also: { content_type: ['type'] },
    omit: ['after'],
    examples: [
      'switchboard chat messages telegram:Antti --since 7d',
      'switchboard chat messages "*:Family" --sender mum --format csv',
      'switchboard chat messages "telegram:*" -f',
    ],
    list: {
      ...messageList,
      newestLast: true,
      line: (message, listing) => messageLine(message, isOfSeveral(message, listing) ? placeOf(message) : undefined),
    },
    next: ({ follow, ...asked }, { position }) => (follow ? { ...asked, follow, after: position } : undefined),
    isNews: ({ messages }) => messages.length > 0,
  },
  kind: 'query',
  effect: 'reads',
  description: 'Shows messages of a chat, a source, or all sources.',
  input: z.strictObject({
    where: z
      .string()
      .min(1)
      .max(700)
      .default('*:*')
      .describe('SOURCE:CHAT; either may be *. Without a colon: a chat in any source.'),
    ...filter,
    ...paging,
    follow: z.boolean().default(false).describe('Follow new messages until interrupted.'),
    after: z.int().min(0).optional(),
  }),
  output: MessagesOutput.extend({ position: z.int().optional() }),
  async run({ where, follow, after, ...query }, parts: FollowParts) {
    const asked: MessageQuery = { ...query, ...placeIn(where) };
    if (after !== undefined) return arrivedAfter(after, asked, parts);
    // Asked before: what arrives while this is read comes again, rather than not at all.
    const position = follow ? (await parts.events.range()).last : undefined;
    return { ...(await getMessages(asked, parts)), ...(position === undefined ? {} : { position }) };
  },
});

/** Where all chats were asked for, also of the only message that has just arrived. */
function isOfSeveral(message: Message, { all, input: { where = '*' } }: Listing<Message>): boolean {
  if (placeIn(String(where)).chat === undefined) return true;
  return all.some(({ source, chat_id: chat }) => source !== message.source || chat !== message.chat_id);
}

/** What has arrived after this event, and fits. */
async function arrivedAfter(after: number, query: MessageQuery, parts: FollowParts) {
  const { last } = await parts.events.range();
  const events = await parts.events.read(after, { types: ['message.received'], limit: MOST_AT_ONCE });
  const { filter } = events.length === 0 ? { filter: {} } : await filterOf(query, parts);
  const found = await Promise.all(events.map(({ data }) => ifItFits(String(data.message_id), filter, parts)));
  return {
    messages: found.flat().map(toMessageView).reverse(),
    position: events.length === MOST_AT_ONCE ? (events.at(-1)?.number ?? after) : Math.max(after, last),
  };
}

const MOST_AT_ONCE = 500;

/** The store says whether it does: it is asked for the one message between its neighbours. */
async function ifItFits(
  id: string,
  filter: MessageFilter,
  { messages }: FollowParts,
): Promise<readonly StoredMessage[]> {
  const number = Number(id);
  const between = { limit: 1, afterId: String(number - 1), beforeId: String(number + 1) };
  return (await messages.find(filter, between)).messages;
}
