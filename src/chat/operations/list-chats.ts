import { z } from 'zod';
import { CHAT_TYPES } from '../../domain/chat.ts';
import { parseTime } from '../../domain/time-expression.ts';
import { bytesInAnswer, CUT, fittingPage, shortName } from '../../lib/answer-size.ts';
import type { Clock } from '../../lib/clock.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { freshness, freshnessOf, staleness } from '../freshness.ts';
import { type LookupParts, readableSource } from '../lookup.ts';
import { nameBeforeRemark } from '../message-line.ts';
import { MAX_ID } from '../message-size.ts';
import { toTimestamp } from '../message-view.ts';
import type { ChatFilter, MessageStore, StoredChat } from '../ports.ts';

export interface ListChatsParts extends LookupParts {
  messages: Pick<MessageStore, 'participantCount'>;
  clock: Clock;
}

const Filter = {
  chat_type: z.enum(CHAT_TYPES).optional().describe('Only chats of this type.'),
  name_pattern: z.string().min(1).max(500).optional().describe('Part of the name.'),
  active_since: z.string().max(100).optional().describe('With messages since: 7d, 2026-11-16.'),
};

const View = z.object({
  id: z.string().describe('What other tools take as chat.'),
  name: z.string(),
  type: z.enum(CHAT_TYPES),
  participant_count: z.int().describe('Where the network does not say it: senders.'),
  last_message_at: z.string().optional(),
});

/** Chats of a page, unless a `limit` is given. */
const DEFAULT_LIMIT = 100;

export const listChats = operation({
  mcp: { name: 'list_chats', title: 'List chats' },
  cli: {
    path: 'chat chats',
    positionals: ['source'],
    omit: ['filter'],
    also: { chat_type: ['type'], name_pattern: ['name'] },
    letters: { n: 'limit' },
    examples: [
      'switchboard chat chats telegram',
      'switchboard chat chats telegram --chat-type group --name-pattern fam',
    ],
    list: {
      key: 'chats',
      columns: ['id', 'name', 'type', 'participant_count', 'last_message_at'],
      line: toLine,
    },
  },
  rest: { method: 'GET', path: '/sources/:source/chats' },
  kind: 'query',
  effect: 'reads',
  description: 'Lists the chats of a source, most recently active first.',
  input: z.strictObject({
    source: z.string().max(200).describe('Source id.'),
    filter: z.strictObject(Filter).optional().describe('The same three as an object.'),
    ...Filter,
    limit: z.int().min(1).max(500).optional().describe('Default 100, 1 to 500.'),
    cursor: z
      .string()
      .refine((text) => /^-?\d+\.\d+$/.test(text), 'must be a next_cursor of an earlier answer')
      .optional()
      .describe('next_cursor of an earlier answer.'),
  }),
  output: z.object({
    chats: z.array(View),
    next_cursor: z.string().optional().describe('cursor of the next page.'),
    is_cut: z.boolean().optional().describe('Ended because of its size.'),
    ...freshness,
  }),
  async run({ source: id, filter = {}, limit: asked, cursor, ...flat }, context: OperationContext & ListChatsParts) {
    const { messages, clock, door, ...parts } = context;
    const source = await readableSource(parts, id);
    const wanted = toFilter({ ...flat, ...filter }, clock.now());
    const after = cursor === undefined ? {} : { after: cursor };
    const page = await parts.chats.list(id, wanted, { limit: asked ?? DEFAULT_LIMIT, ...after });
    const views = await Promise.all(page.chats.map((chat) => toView(chat, messages)));
    const { items, isCut } =
      door === 'mcp'
        ? fittingPage(views.map(withShortName), (view) => bytesInAnswer(view, toLine(view)), {
            isAsked: asked !== undefined,
          })
        : { items: views, isCut: false };
    const { next } = isCut ? await parts.chats.list(id, wanted, { limit: items.length, ...after }) : page;
    return {
      chats: [...items],
      ...(next === undefined ? {} : { next_cursor: next }),
      ...(isCut ? { is_cut: true } : {}),
      ...freshnessOf(source),
    };
  },
  render: (output) =>
    [
      ...output.chats.map(toLine),
      ...(output.chats.length === 0 ? ['No chat fits.'] : []),
      ...(output.next_cursor === undefined
        ? []
        : [`${output.is_cut ? CUT : 'There are more'}: cursor ${output.next_cursor}`]),
      ...staleness(output),
    ].join('\n'),
});

function toLine({ id, name, type, participant_count: count, last_message_at: last }: z.output<typeof View>): string {
  const facts = [
    type,
    `${count} participant${count === 1 ? '' : 's'}`,
    ...(last === undefined ? [] : [`last message at ${last}`]),
    `id ${nameBeforeRemark(id)}`,
  ];
  return `${nameBeforeRemark(name)} (${facts.join(', ')})`;
}

interface ChatFilterInput {
  chat_type?: ChatFilter['type'];
  name_pattern?: string | undefined;
  active_since?: string | undefined;
}

function toFilter(
  { chat_type: type, name_pattern: name, active_since: since }: ChatFilterInput,
  now: number,
): ChatFilter {
  return {
    ...(type === undefined ? {} : { type }),
    ...(name === undefined ? {} : { name }),
    ...(since === undefined ? {} : { activeSince: parseTime(since, 'active_since', now) }),
  };
}

function withShortName(view: z.output<typeof View>): z.output<typeof View> {
  return { ...view, id: shortName(view.id, MAX_ID), name: shortName(view.name) };
}

/** If the network does not report the number of participants, the senders are counted. */
async function toView(
  { key, id, name, type, participantCount, lastMessageAt }: StoredChat,
  messages: ListChatsParts['messages'],
): Promise<z.input<typeof View>> {
  return {
    id,
    name,
    type,
    participant_count: participantCount ?? (await messages.participantCount(key)),
    ...(lastMessageAt === undefined ? {} : { last_message_at: toTimestamp(lastMessageAt) }),
  };
}
