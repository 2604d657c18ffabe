import { z } from 'zod';
import type { EventLog } from '../../domain/event-log.ts';
import { createWakeup } from '../../lib/wakeup.ts';
import { type Listing, type OperationContext, operation } from '../../operation.ts';
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
  type QueryParts,
  qualifiedChat,
} from './message-query.ts';
import { parseWhere } from './where.ts';

export interface FollowParts extends QueryParts {
  events: Pick<EventLog, 'read' | 'range'>;
  /** `EventLog.listen`, once the store is open. */
  listen(listener: Parameters<EventLog['listen']>[0]): Promise<() => void>;
}

type Following = FollowParts & Pick<OperationContext, 'signal'>;

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
      line: (message, listing) =>
        messageLine(message, isOfSeveral(message, listing) ? qualifiedChat(message) : undefined),
    },
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
  run: ({ where, follow: _, after: __, ...query }, parts: FollowParts) =>
    getMessages({ ...query, ...parseWhere(where) }, parts),
  follow: {
    isWanted: ({ follow }) => follow,
    stream: ({ where, follow: _, after, ...query }, parts) =>
      followMessages({ ...query, ...parseWhere(where) }, after, parts),
    resume: (input, { position }) => ({ ...input, after: position }),
  },
});

/** If all chats were requested, the chat is shown even for a single message. */
function isOfSeveral(message: Message, { all, input: { where = '*' } }: Listing<Message>): boolean {
  if (parseWhere(String(where)).chat === undefined) return true;
  return all.some(({ source, chat_id: chat }) => source !== message.source || chat !== message.chat_id);
}

/** A page of stored messages, unless `after` names the event to resume from; then new messages as they arrive. */
async function* followMessages(query: MessageQuery, after: number | undefined, parts: Following) {
  const wakeup = createWakeup();
  const stopListening = await parts.listen(wakeup.wake);
  parts.signal.addEventListener('abort', wakeup.wake);
  try {
    let shown: ReadonlySet<string> = new Set();
    let position = after ?? (await parts.events.range()).last;
    if (after === undefined) {
      const page = await getMessages(query, parts);
      shown = new Set(page.messages.map(({ id }) => id));
      // Messages that arrive while the page is read are in it, or follow.
      const meanwhile = await arrivedAfter(position, query, parts);
      if (meanwhile.messages.every(({ id }) => shown.has(id))) position = meanwhile.position;
      yield { ...page, position };
    }
    while (!parts.signal.aborted) {
      const arrived = await arrivedAfter(position, query, parts);
      const messages = arrived.messages.filter(({ id }) => !shown.has(id));
      position = arrived.position;
      if (messages.length > 0) yield { messages, position };
      if (!arrived.hasMore) await wakeup.wait(LOOK_MS);
    }
  } finally {
    stopListening();
    parts.signal.removeEventListener('abort', wakeup.wake);
  }
}

/** Matching messages that have arrived after this event, newest first. */
async function arrivedAfter(after: number, query: MessageQuery, parts: FollowParts) {
  const { last } = await parts.events.range();
  // A store that was restored from a backup may have fewer events than it had.
  const from = Math.min(after, last);
  const events = await parts.events.read(from, { types: ['message.received'], limit: MOST_AT_ONCE });
  const { filter } = events.length === 0 ? { filter: {} } : await filterOf(query, parts);
  const found = await Promise.all(events.map(({ data }) => ifItFits(String(data.message_id), filter, parts)));
  const newest = events.at(-1)?.number ?? from;
  const hasMore = events.length === MOST_AT_ONCE;
  return {
    messages: found
      .flat()
      .map((message) => toMessageView(message))
      .reverse(),
    position: hasMore ? newest : Math.max(newest, last),
    hasMore,
  };
}

/** Where no daemon may run, another command may write to the store without this process being notified. */
const LOOK_MS = 1_000;
const MOST_AT_ONCE = 500;

/** Queries the store for the one message between its neighbours, to apply the same filter. */
async function ifItFits(
  id: string,
  filter: MessageFilter,
  { messages }: FollowParts,
): Promise<readonly StoredMessage[]> {
  const number = Number(id);
  const between = { limit: 1, afterId: String(number - 1), beforeId: String(number + 1) };
  return (await messages.find(filter, between)).messages;
}
