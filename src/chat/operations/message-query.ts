import { z } from 'zod';
import { CONTENT_TYPES } from '../../domain/chat.ts';
import { timeRange } from '../../domain/time-expression.ts';
import { type AnswerBytes, bytesInAnswer, CUT, fittingPage, shortName } from '../../lib/answer-size.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OperationContext } from '../../operation.ts';
import { freshness, freshnessOf, staleness } from '../freshness.ts';
import { findChats, type LookupParts, readableSource } from '../lookup.ts';
import { messageLine } from '../message-line.ts';
import { compactMessage, MAX_ID, sharedFields } from '../message-size.ts';
import { MessageView, type TextExtent, toMessageView } from '../message-view.ts';
import type { MessageFilter, MessageStore, PageRequest, StoredChat, StoredMessage } from '../ports.ts';
import type { ListedSource, SourceView } from '../sources.ts';

export interface QueryParts extends LookupParts {
  messages: MessageStore;
  clock: Clock;
}

const ContentTypes = z.array(z.enum(CONTENT_TYPES)).min(1);

/** A text of only spaces would match every message. */
export const searchText = () =>
  z
    .string()
    .max(1_000)
    .refine((text) => text.trim() !== '', 'must have something to look for');

/** Filters of every operation that reads messages. */
export const narrowing = {
  source: z.string().max(200).optional().describe('Source id; default: all.'),
  chat: z.string().min(1).max(500).optional().describe('Chat id, name or part of it; default: all.'),
  since: z.string().max(100).optional().describe('At or after: 7d, 24h, yesterday, 2026-11-16, 2026-11-16T08:00:00Z.'),
  before: z.string().max(100).optional().describe('Before this time, written like since.'),
  sender: z.string().min(1).max(500).optional().describe('Sender id or part of the name.'),
};

export const messageFilter = {
  ...narrowing,
  search: searchText().optional().describe('Text the message contains.'),
  content_type: z
    .preprocess((type) => (typeof type === 'string' ? [type] : type), ContentTypes)
    .optional()
    .describe('Only messages of these types.'),
};

/** Messages of a page, unless a `limit` is given. */
const DEFAULT_LIMIT = 100;

export const full = z
  .boolean()
  .optional()
  .describe(
    'Whole texts and pages; default: over MCP long texts are shortened, and a page over 20 KB is cut (is_cut, next_cursor).',
  );

export const paging = {
  limit: z.int().min(1).max(500).optional().describe('Default 100, 1 to 500.'),
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
  next_cursor: z.string().optional().describe('cursor of the next page.'),
  is_cut: z.boolean().optional().describe('Ended because of its size.'),
  matched_chats: z.array(MatchedChat).optional(),
  chat_count: z.int().optional().describe('So many chats have the name, if not all are listed.'),
  ...freshness,
  stale_sources: z.array(z.string()).optional(),
  source: z.string().optional().describe('Over MCP: the source of all messages that name none.'),
  chat_names: z.record(z.string(), z.string()).optional().describe('Over MCP: names of chats by chat_id.'),
});

type Narrowing = z.output<z.ZodObject<typeof narrowing>>;
export type MessageQuery = z.output<z.ZodObject<typeof messageFilter>> &
  z.output<z.ZodObject<typeof paging>> & { full?: boolean | undefined };

/** What a query covers. */
export interface QueryScope {
  filter: MessageFilter;
  /** Chats that match the given name. */
  matched: readonly StoredChat[];
  sources: readonly (ListedSource & Pick<SourceView, 'staleSince'>)[];
}

const MAX_MATCHED = 50;
/** Over MCP; the messages of a page need the rest. */
const MAX_MATCHED_BYTES = 4_000;

/** `chats` are keys that replace those of the query. */
export async function getPage(query: MessageQuery, parts: QueryParts, chats?: readonly number[]) {
  const scope = await filterOf(query, parts);
  const filter = chats === undefined ? scope.filter : { ...scope.filter, chats };
  const { messages, hasMore } = await parts.messages.find(filter, pageOf(query));
  const last = messages.at(-1);
  return { messages, ...(hasMore && last ? { next: last.id } : {}), ...scope };
}

export async function filterOf(query: MessageQuery, parts: QueryParts): Promise<QueryScope> {
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

export async function scopeOf(query: Narrowing, { clock, ...parts }: QueryParts): Promise<QueryScope> {
  const { source: id, chat, sender } = query;
  const range = timeRange(query, clock.now());
  const sources = id === undefined ? await parts.sources.list() : [await readableSource(parts, id)];
  const ids = sources.map((source) => source.id);
  const matched = chat === undefined ? [] : await findChats(parts, chat, id, ids);
  const filter = {
    sources: ids,
    ...(chat === undefined ? {} : { chats: matched.map(({ key }) => key) }),
    ...(sender === undefined ? {} : { sender }),
    ...range,
  };
  return { filter, matched, sources };
}

/** A cursor is a message and not a count, so that messages that arrive in between shift no page. */
function pageOf({ limit = DEFAULT_LIMIT, offset, cursor }: MessageQuery): PageRequest {
  return {
    limit,
    ...(offset === undefined ? {} : { offset }),
    ...(cursor === undefined ? {} : { beforeId: cursor }),
  };
}

export async function getMessages(
  query: MessageQuery,
  parts: QueryParts & Partial<Pick<OperationContext, 'door'>>,
): Promise<z.input<typeof MessagesOutput>> {
  const { messages, next, matched, sources } = await getPage(query, parts);
  const isWhole = query.full ?? parts.door !== 'mcp';
  const extent = isWhole ? ({ full: true } as const) : { full: false as const, ...markedIn(query) };
  const fields = scopeFields({ matched, sources }, { source: query.source, isWhole });
  const views = viewsOf(messages, extent);
  const page = isWhole
    ? { items: [...views], isCut: false }
    : fittingPage(views, (view) => bytesInAnswer(compactMessage(view, query), lineWithId(view)), {
        others: bytesOfFields(fields),
        isAsked: query.limit !== undefined,
      });
  const cursor = page.isCut ? page.items.at(-1)?.id : next;
  return {
    messages: [...page.items],
    ...(cursor === undefined ? {} : { next_cursor: cursor }),
    ...(page.isCut ? { is_cut: true } : {}),
    ...fields,
  };
}

/** Made one by one: those that do not fit into the answer are not needed. */
function* viewsOf(messages: readonly StoredMessage[], extent: TextExtent) {
  for (const message of messages) yield toMessageView(message, extent);
}

function markedIn({ search }: MessageQuery) {
  return search === undefined ? {} : { marked: { kind: 'part', text: search } as const };
}

/** The structured content over MCP of what lists messages. */
export function compactMessages<Output extends { messages: readonly z.output<typeof MessageView>[] }>(
  output: Output,
  asked: { source?: unknown },
) {
  const shared = sharedFields(output.messages, asked);
  return { ...output, ...shared, messages: output.messages.map((message) => compactMessage(message, asked, shared)) };
}

interface Extent {
  source: string | undefined;
  /** Whether names and lists are given in full. */
  isWhole: boolean;
}

/** Output fields: the chats that a name matches if there are several, and sources that may lack the newest messages. */
export function scopeFields(
  { matched, sources }: Pick<QueryScope, 'matched' | 'sources'>,
  { source, isWhole }: Extent,
) {
  const stale = sources.filter(({ isConnected }) => !isConnected);
  const [only] = sources;
  return {
    ...(matched.length > 1 ? matchedFields(matched, isWhole) : {}),
    ...(source !== undefined && only ? freshnessOf(only) : {}),
    ...(source === undefined && stale.length > 0 ? { stale_sources: stale.map(({ id }) => id) } : {}),
  };
}

function matchedFields(matched: readonly StoredChat[], isWhole: boolean) {
  const views = matched
    .slice(0, MAX_MATCHED)
    .map(({ source, id, name }) =>
      isWhole ? { source, id, name } : { source, id: shortName(id, MAX_ID), name: shortName(name) },
    );
  const listed = isWhole
    ? views
    : fittingPage(views, (view) => bytesInAnswer(view, ''), { maxBytes: MAX_MATCHED_BYTES, isAsked: true }).items;
  return {
    matched_chats: [...listed],
    ...(listed.length < matched.length ? { chat_count: matched.length } : {}),
  };
}

export function bytesOfFields(fields: ReturnType<typeof scopeFields>): AnswerBytes {
  return bytesInAnswer(fields, notes(fields).join('\n'));
}

/** For models: a line for each message, with the id that other tools accept. */
export function renderMessages(output: z.output<typeof MessagesOutput>): string {
  return [
    ...output.messages.map(lineWithId),
    ...(output.messages.length === 0 ? ['No message fits.'] : []),
    ...notes(output),
  ].join('\n');
}

function lineWithId(message: z.output<typeof MessageView>): string {
  return `${messageLine(message, qualifiedChat(message))} (${idAndLength(message)})`;
}

/** The remark after a message. */
export function idAndLength({ id, is_shortened: isShortened, length }: z.output<typeof MessageView>): string {
  return isShortened && length !== undefined ? `id ${id}, shortened: ${length} characters in all` : `id ${id}`;
}

export function qualifiedChat({ source, chat }: { source: string; chat: string }): string {
  return `${source}/${chat}`;
}

type Notes = Pick<
  z.output<typeof MessagesOutput>,
  'next_cursor' | 'is_cut' | 'matched_chats' | 'chat_count' | 'is_connected' | 'stale_since' | 'stale_sources'
>;

export function notes(output: Notes): string[] {
  const {
    next_cursor: next,
    is_cut: isCut,
    matched_chats: matched,
    chat_count: chats,
    stale_sources: stale,
    ...rest
  } = output;
  const older = isCut ? CUT : 'There are older ones';
  return [
    ...(matched === undefined
      ? []
      : [`The name fits ${chats ?? matched.length} chats; these are the messages of all of them.`]),
    ...(next === undefined ? [] : [`${older}: cursor ${next}`]),
    ...(stale === undefined ? [] : [`Not connected, so that newer may be missing: ${stale.join(', ')}.`]),
    ...staleness(rest),
  ];
}
