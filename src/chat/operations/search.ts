import { z } from 'zod';
import { MATCH_KINDS, type SearchAttempt, searchAttempts } from '../../domain/search-query/attempts.ts';
import { CONTENTS, MESSAGE_STATES } from '../../domain/search-query/query.ts';
import { findPage, SEARCH_CURSOR, type SearchPage } from '../../domain/search-query/search-pages.ts';
import { bytesInAnswer, fittingPage } from '../../lib/answer-size.ts';
import { snippet } from '../../lib/snippet.ts';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { contentOf, messageLine } from '../message-line.ts';
import { compactMessage } from '../message-size.ts';
import { MessageView, toMessageView } from '../message-view.ts';
import type { StoredMessage } from '../ports.ts';
import { parseSearch } from '../search-request.ts';
import { messageList } from './message-list.ts';
import {
  bytesOfFields,
  compactMessages,
  full,
  idAndLength,
  MessagesOutput,
  narrowing,
  notes,
  type QueryParts,
  type QueryScope,
  qualifiedChat,
  scopeFields,
  scopeOf,
  searchText,
} from './message-query.ts';

type SearchParts = QueryParts & Pick<OperationContext, 'door'>;

const Hit = MessageView.extend({ snippet: z.string() });

const Output = MessagesOutput.extend({
  messages: z.array(Hit),
  matched: z.enum(MATCH_KINDS).optional(),
  exact_count: z
    .int()
    .optional()
    .describe('So many of the messages, the first ones, contain what was typed; the others only the words in it.'),
});

const shared = {
  ...narrowing,
  sort: z.enum(['newest', 'relevance']).default('newest').describe('Default newest.'),
  limit: z.int().min(1).max(500).optional().describe('Default 20, 1 to 500.'),
  cursor: z
    .string()
    .refine((text) => SEARCH_CURSOR.test(text), 'must be a next_cursor of an earlier answer')
    .optional()
    .describe('next_cursor of an earlier answer.'),
  full,
};

/** Messages of a page, unless a `limit` is given. */
const DEFAULT_LIMIT = 20;

const SearchInput = z.strictObject({ query: searchText().describe('Words and operators.'), ...shared });

export const searchMessages = operation({
  mcp: {
    name: 'search_messages',
    aliases: ['search'],
    title: 'Search all messages',
    combinedOnly: true,
    structured: (output, asked) => compactMessages({ ...output, messages: output.messages.map(withoutSnippet) }, asked),
  },
  kind: 'query',
  effect: 'reads',
  description:
    'Searches all chats (IRC, Slack, Discord, Telegram, WhatsApp, Signal, Matrix, XMPP), email and letters. All words must match; "a phrase", -not, OR, ( ), from: to: cc: subject: in: source: has:image is:unread filename: after:7d before:2026-11-16. Newest first.',
  input: SearchInput,
  output: Output,
  run: (asked, parts: SearchParts) => find(asked, parts, 'query'),
  render: (output) =>
    [
      ...output.messages.map(hitLine),
      ...(output.messages.length === 0 ? ['No message fits.'] : []),
      ...notesOn(output),
    ].join('\n'),
});

const DESCRIPTION =
  'Searches chats, mail and letters for messages with all words or, if there is none, with the text as a substring. Newest first.';

export const searchRoute = operation({
  rest: { method: 'GET', path: '/search' },
  kind: 'query',
  effect: 'reads',
  description: DESCRIPTION,
  input: z.strictObject({ q: searchText().describe('Words and operators to search for.'), ...shared }),
  output: Output,
  run: ({ q, ...asked }, parts: SearchParts) => find({ query: q, ...asked }, parts, 'q'),
});

export const searchCommand = operation({
  cli: {
    path: 'chat search',
    aliases: ['search'],
    positionals: ['words'],
    letters: { n: 'limit' },
    omit: ['full'],
    examples: [
      'switchboard search deploy failed',
      `switchboard search 'from:alice "out of memory" -kernel'`,
      'switchboard search subject:invoice has:attachment after:30d',
      'switchboard chat search 木曜 --since 30d --source telegram',
    ],
    topics: [
      {
        heading: 'Operators',
        entries: [
          ['"a phrase"', 'These words in this order.'],
          ['-word, NOT word', 'Without it; also before a phrase, an operator or parentheses.'],
          ['a OR b', 'At least one of both. OR takes the terms beside it; parentheses take more.'],
          ['from:alice, from:me', 'Sender: a part of the name, an id or an address.'],
          ['to:bob, cc:bob', 'Recipient of an email or a letter, or of your message in a direct chat.'],
          ['subject:"annual report"', 'Words of the subject of an email.'],
          [
            'in:dev, in:inbox',
            'Chat by name or id; folder of emails by name or role. in:anywhere includes trash and junk.',
          ],
          ['source:telegram', 'Source or account by id, name or kind; also account:.'],
          ['has:attachment', 'Also image, video, audio, file, link, sticker, location, contact.'],
          ['filename:budget', 'Words of the name of an attached file.'],
          ['is:unread', 'Also read, flagged, own, reply, edited.'],
          ['after:7d, before:2026-11-16', 'Time, as for --since.'],
        ],
      },
    ],
    suggestions: [...CONTENTS.map((content) => `has:${content}`), ...MESSAGE_STATES.map((state) => `is:${state}`)],
    list: {
      ...messageList,
      row: (hit, listing) => ({
        ...messageList.row?.(hit, listing),
        text: contentOf({ ...hit, content: unmarked(hit) }),
      }),
      line: (hit) => messageLine({ ...hit, content: hit.snippet }, qualifiedChat(hit)),
      notes: notesOn,
    },
  },
  kind: 'query',
  effect: 'reads',
  description: DESCRIPTION,
  input: z.strictObject({
    words: z.array(searchText()).min(1).max(50).describe('Words and operators to search for.'),
    ...shared,
  }),
  output: Output,
  run: ({ words, ...asked }, parts: SearchParts) => find({ query: words.join(' '), ...asked }, parts, 'words'),
});

/** Asterisks of the text itself cannot be told from marks: then both are shown. */
function unmarked({ content, snippet }: SearchHit): string {
  return content.includes('**') ? snippet : snippet.replaceAll('**', '');
}

type SearchNotes = Parameters<typeof notes>[0] & { matched?: string | undefined; exact_count?: number | undefined };

function notesOn({ matched, exact_count: exact, ...rest }: SearchNotes): string[] {
  return [
    ...(matched === 'part' ? ['No message has all these as whole words; these have the text in them.'] : []),
    ...(exact === undefined
      ? []
      : [`Only the first ${exact === 1 ? 'contains' : `${exact} contain`} exactly this; the others have its words.`]),
    ...notes(rest),
  ];
}

/** `field` is the input field of the query, for errors. */
async function find(
  { query: text, ...asked }: z.output<typeof SearchInput>,
  parts: SearchParts,
  field: string,
): Promise<z.input<typeof Output>> {
  const { limit, cursor, sort, full: isFull, ...where } = asked;
  const scope = await scopeOf(where, parts);
  const sources = where.source === undefined ? scope.sources : await parts.sources.list();
  const attempts = searchAttempts(parseSearch(text, { now: parts.clock.now(), field, sources }));
  const page = await findPage(
    attempts,
    { limit: limit ?? DEFAULT_LIMIT, cursor, ...(sort === 'relevance' ? { sort } : {}) },
    (filter, request) => parts.messages.find({ ...scope.filter, ...filter, skipDiscarded: true }, request),
  );
  const isWhole = isFull ?? parts.door !== 'mcp';
  return toOutput(page, { scope, source: where.source, isWhole, isDefaultPage: limit === undefined });
}

interface Requested {
  scope: QueryScope;
  source: string | undefined;
  /** Whether texts are given in full. */
  isWhole: boolean;
  isDefaultPage: boolean;
}

function toOutput(page: SearchPage<SearchAttempt, StoredMessage>, requested: Requested): z.input<typeof Output> {
  const { scope, source, isWhole, isDefaultPage } = requested;
  const fields = scopeFields(scope, { source, isWhole });
  const [first, looser] = page.groups;
  const hits = hitsOf(page, isWhole);
  const shown = isWhole
    ? { items: [...hits], isCut: false }
    : fittingPage(hits, bytesOfHit, { others: bytesOfFields(fields), isAsked: !isDefaultPage });
  const last = shown.items.at(-1);
  const next = shown.isCut && last ? page.cursorAfter(last.id) : page.next;
  return {
    messages: [...shown.items],
    ...(first ? { matched: first.attempt.kind } : {}),
    ...(first && looser && first.messages.length < shown.items.length ? { exact_count: first.messages.length } : {}),
    ...(next === undefined ? {} : { next_cursor: next }),
    ...(shown.isCut ? { is_cut: true } : {}),
    ...fields,
  };
}

type SearchHit = z.output<typeof Hit>;

/** Made one by one: those that do not fit into the answer are not needed. */
function* hitsOf({ groups }: SearchPage<SearchAttempt, StoredMessage>, isWhole: boolean): Generator<SearchHit> {
  for (const { attempt, messages } of groups) {
    const { marked } = attempt;
    for (const message of messages) {
      const view = toMessageView(message, isWhole ? { full: true } : { full: false, marked });
      yield { ...view, snippet: visible(snippet(message.text, marked)) };
    }
  }
}

function hitLine(hit: SearchHit): string {
  return `${messageLine({ ...hit, content: hit.snippet }, qualifiedChat(hit))} (${idAndLength(hit)})`;
}

function bytesOfHit(hit: SearchHit) {
  return bytesInAnswer(compactMessage(withoutSnippet(hit), {}), hitLine(hit));
}

function withoutSnippet({ snippet: _, ...message }: SearchHit) {
  return message;
}
