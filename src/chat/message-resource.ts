import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import type { EventLog } from '../domain/event-log.ts';
import { fittingPage } from '../lib/answer-size.ts';
import { inputProblems } from '../lib/input-problems.ts';
import type { ResourceTemplate, TextContent } from '../operation.ts';
import { completeChatArgument } from './completion.ts';
import { freshnessOf } from './freshness.ts';
import { findOneChat, readableSource } from './lookup.ts';
import { messageLine, toMessageText } from './message-line.ts';
import { MESSAGES, messagesUri } from './message-uri.ts';
import { getPage, messageFilter, paging, type QueryParts } from './operations/message-query.ts';
import { subscribeToMessages } from './subscribe.ts';

export interface ResourceParts extends QueryParts {
  events: Pick<EventLog, 'range'>;
}

const digits = () =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text), 'must be a whole number')
    .transform(Number);

/** Query parameters of a resource's URI. */
const { source: _source, chat: _chat, content_type: type, ...filter } = messageFilter;
const Query = z.strictObject({
  ...filter,
  type,
  limit: digits().pipe(paging.limit.unwrap()).optional(),
  offset: digits().pipe(paging.offset.unwrap()).optional(),
  cursor: paging.cursor,
  full: z.enum(['true', 'false']).default('false'),
});

export const messageResource: ResourceTemplate<ResourceParts, TextContent> = {
  uriTemplate: `${MESSAGES}{source}/{chat}`,
  name: 'messages',
  title: 'Messages of a chat',
  description:
    'The newest messages of a chat, oldest first, as lines `[timestamp] sender: content`. Source by id; chat by id or name, percent-encoded. Query parameters: since, before, sender, search, type, limit (100), offset, cursor, full (true: long texts are not shortened). Subscribe to follow new ones: * matches any source or chat; sender, chat, chat_type, type and own filter; after=NUMBER resumes after an event.',
  mimeType: 'text/plain',
  right: 'read',
  async read(uri, { source = '', chat = '' }, parts) {
    const { full, ...query } = queryIn(uri);
    const isWhole = full === 'true';
    const found = await readableSource(parts, source);
    const { key, id } = await findOneChat(parts, chat, source);
    // Read before the messages, so that a client that subscribes from there misses none.
    const { last } = await parts.events.range();
    const { messages, next } = await getPage({ ...query, source }, parts, [key]);
    const marked = query.search === undefined ? undefined : ({ kind: 'part', text: query.search } as const);
    const lines = messages.map((message) => ({
      id: message.id,
      text: messageLine(toMessageText(message, isWhole, marked)),
    }));
    const page = isWhole ? { items: lines, isCut: false } : fittingPage(lines, bytesOfLine);
    const cursor = page.isCut ? page.items.at(-1)?.id : next;
    return {
      uri: uri.href,
      mimeType: 'text/plain',
      text: page.items
        .map(({ text }) => text)
        .reverse()
        .join('\n'),
      _meta: {
        'switchboard/uri': messagesUri(source, id),
        'switchboard/after': last,
        ...(cursor === undefined ? {} : { 'switchboard/next_cursor': cursor }),
        ...(page.isCut ? { 'switchboard/is_cut': true } : {}),
        ...(found.isConnected ? {} : { 'switchboard/stale': freshnessOf(found) }),
      },
    };
  },
  complete: completeChatArgument,
  subscribe: (uri, parts) => subscribeToMessages(uri, parts),
};

function bytesOfLine({ text }: { text: string }) {
  return { structure: 0, text: Buffer.byteLength(JSON.stringify(text)) };
}

function queryIn({ searchParams }: URL) {
  const names = [...searchParams.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new AppError('INVALID_PARAMETER', 'A parameter may be given only once.', { field: 'uri' });
  const checked = Query.safeParse(Object.fromEntries(searchParams), { reportInput: true });
  if (!checked.success) {
    const { message, field } = inputProblems(checked.error.issues, Object.keys(Query.shape));
    throw new AppError('INVALID_PARAMETER', message.replace('Unknown field', 'Unknown parameter'), {
      ...(field === undefined ? {} : { field }),
    });
  }
  const { type: contentType, ...rest } = checked.data;
  return { ...rest, ...(contentType === undefined ? {} : { content_type: contentType }) };
}
