import { z } from 'zod';
import { CONTENT_TYPES } from '../../domain/chat.ts';
import type { Clock } from '../../lib/clock.ts';
import { freshness, freshnessOf, staleness } from '../freshness.ts';
import { chatsCalled, type LookupParts, readableSource } from '../lookup.ts';
import { messageLine } from '../message-line.ts';
import { MessageView, toMessageView } from '../message-view.ts';
import type { MessageFilter, MessageStore, PageRequest, StoredChat } from '../ports.ts';
import type { SourceView } from '../sources.ts';
import { timeRange } from '../time-expression.ts';

export interface QueryParts extends LookupParts {
  messages: MessageStore;
  clock: Clock;
}

const ContentTypes = z.array(z.enum(CONTENT_TYPES)).min(1);

/** Something to look for; a text of nothing but spaces would be in every message. */
export const soughtText = () =>
  z
    .string()
    .max(1_000)
    .refine((text) => text.trim() !== '', 'must have something to look for');

/** What every look at messages can be narrowed by. */
export const narrowing = {
  source: z.string().max(200).optional().describe('Source id; default: all.'),
  chat: z.string().min(1).max(500).optional().describe('Chat id, name or part of it; default: all.'),
  since: z.string().max(100).optional().describe('At or after: 7d, 24h, yesterday, 2026-11-16, 2026-11-16T08:00:00Z.'),
  before: z.string().max(100).optional().describe('Before this time.'),
  sender: z.string().min(1).max(500).optional().describe('Sender id or part of the name.'),
};

export const messageFilter = {
  ...narrowing,
  search: soughtText().optional().describe('Text the message contains.'),
  content_type: z.preprocess((type) => (typeof type === 'string' ? [type] : type), ContentTypes).optional(),
};

export const paging = {
  limit: z.int().min(1).max(500).default(100),
  offset: z.int().min(0).max(1_000_000).optional().describe('Number to skip.'),
  cursor: z
    .string()
    .refine((text) => /^\d{1,16}$/.test(text), 'must be a next_cursor of an earlier answer')
    .optional()
    .describe('next_cursor of an earlier answer.'),
};

const MatchedChat = z.object({ source: z.string(), id: z.string(), name: z.string() });

export const MessagesOutput = z.object({
  messages: z.array(MessageView),
  next_cursor: z.string().optional(),
  matched_chats: z.array(MatchedChat).optional(),
  ...freshness,
  stale_sources: z.array(z.string()).optional(),
});

type Narrowing = z.output<z.ZodObject<typeof narrowing>>;
export type MessageQuery = z.output<z.ZodObject<typeof messageFilter>> & z.output<z.ZodObject<typeof paging>>;

/** Where is looked, as the store is asked, and what is to be told beside it. */
export interface Scope {
  filter: MessageFilter;
  matched: readonly StoredChat[];
  asked: readonly SourceView[];
}

/** Told of at most so many chats that a name fits. */
const MOST_MATCHED = 50;

/** `chats` where it is known which are meant. */
export async function getPage(query: MessageQuery, parts: QueryParts, chats?: readonly number[]) {
  const scope = await filterOf(query, parts);
  const filter = chats === undefined ? scope.filter : { ...scope.filter, chats };
  const { messages, hasMore } = await parts.messages.find(filter, pageOf(query));
  const last = messages.at(-1);
  return { messages, ...(hasMore && last ? { next: last.id } : {}), ...scope };
}

export async function filterOf(query: MessageQuery, parts: QueryParts): Promise<Scope> {
  const { search, content_type: types } = query;
  const scope = await scopeOf(query, parts);
  return {
    ...scope,
    filter: {
      ...scope.filter,
      ...(search === undefined ? {} : { text: { kind: 'part', text: search } }),
      ...(types === undefined ? {} : { contentTypes: types }),
    },
  };
}

export async function scopeOf(query: Narrowing, { clock, ...parts }: QueryParts): Promise<Scope> {
  const { source: id, chat, sender } = query;
  const range = timeRange(query, clock.now());
  const asked = id === undefined ? await parts.sources.list() : [await readableSource(parts, id)];
  const sources = asked.map((source) => source.id);
  const matched = chat === undefined ? [] : await chatsCalled(parts, chat, id, sources);
  const filter = {
    sources,
    ...(chat === undefined ? {} : { chats: matched.map(({ key }) => key) }),
    ...(sender === undefined ? {} : { sender }),
    ...range,
  };
  return { filter, matched, asked };
}

/** Pages begin after a message, not after a number of them: what arrives in between moves nothing. */
function pageOf({ limit, offset, cursor }: MessageQuery): PageRequest {
  return {
    limit,
    ...(offset === undefined ? {} : { offset }),
    ...(cursor === undefined ? {} : { beforeId: cursor }),
  };
}

export async function getMessages(query: MessageQuery, parts: QueryParts): Promise<z.input<typeof MessagesOutput>> {
  const { messages, next, matched, asked } = await getPage(query, parts);
  return {
    messages: messages.map(toMessageView),
    ...(next === undefined ? {} : { next_cursor: next }),
    ...besides({ matched, asked }, query.source),
  };
}

/** Which chats were meant where it could be several, and what may be missing. */
export function besides({ matched, asked }: Pick<Scope, 'matched' | 'asked'>, source: string | undefined) {
  const stale = asked.filter(({ isConnected }) => !isConnected);
  const [only] = asked;
  return {
    ...(matched.length > 1
      ? { matched_chats: matched.slice(0, MOST_MATCHED).map(({ source, id, name }) => ({ source, id, name })) }
      : {}),
    ...(source !== undefined && only ? freshnessOf(only) : {}),
    ...(source === undefined && stale.length > 0 ? { stale_sources: stale.map(({ id }) => id) } : {}),
  };
}

/** What a model reads: a line for each message, with its id, which other tools ask for. */
export function renderMessages(output: z.output<typeof MessagesOutput>): string {
  const chats = new Set(output.messages.map(({ source, chat_id: chat }) => `${source}/${chat}`));
  return [
    ...output.messages.map(
      (message) => `${messageLine(message, chats.size > 1 ? placeOf(message) : undefined)} (id ${message.id})`,
    ),
    ...(output.messages.length === 0 ? ['No message fits.'] : []),
    ...notes(output),
  ].join('\n');
}

export function placeOf({ source, chat }: { source: string; chat: string }): string {
  return `${source}/${chat}`;
}

type Notes = Pick<
  z.output<typeof MessagesOutput>,
  'next_cursor' | 'matched_chats' | 'is_connected' | 'stale_since' | 'stale_sources'
>;

export function notes({ next_cursor: next, matched_chats: matched, stale_sources: stale, ...rest }: Notes): string[] {
  return [
    ...(matched === undefined ? [] : [`The name fits ${matched.length} chats; these are the messages of all of them.`]),
    ...(next === undefined ? [] : [`There are older ones: cursor ${next}`]),
    ...(stale === undefined ? [] : [`Not connected, so that newer may be missing: ${stale.join(', ')}.`]),
    ...staleness(rest),
  ];
}
