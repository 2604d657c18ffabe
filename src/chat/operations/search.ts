import { z } from 'zod';
import { MATCH_KINDS, type SearchAttempt, searchAttempts } from '../../domain/search-query/attempts.ts';
import { CONTENTS, MESSAGE_STATES } from '../../domain/search-query/query.ts';
import { bytesInAnswer, fittingPage } from '../../lib/answer-size.ts';
import { snippet } from '../../lib/snippet.ts';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { messageLine } from '../message-line.ts';
import { compactMessage } from '../message-size.ts';
import { MessageView, toMessageView } from '../message-view.ts';
import type { MessagePage, PageRequest } from '../ports.ts';
import { parseSearch } from '../search-request.ts';
import { messageList } from './message-list.ts';
import {
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

const Output = MessagesOutput.extend({ messages: z.array(Hit), matched: z.enum(MATCH_KINDS).optional() });

const shared = {
  ...narrowing,
  sort: z.enum(['newest', 'relevance']).default('newest'),
  limit: z.int().min(1).max(500).optional().describe('Default 20.'),
  cursor: z
    .string()
    .refine((text) => CURSOR.test(text), 'must be a next_cursor of an earlier answer')
    .optional()
    .describe('next_cursor of an earlier answer.'),
  full,
};

/** Messages of a page, unless a `limit` is given. */
const DEFAULT_LIMIT = 20;

/** Later pages are searched in the same way as the first one: below this id or, sorted by relevance, after so many. */
const CURSOR = /^(words|part|query)\.(?:(\d{1,16})|\+(\d{1,4}))$/;

const SearchInput = z.strictObject({ query: searchText(), ...shared });

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
    'Searches chats, mail and letters. All words must match; "a phrase", -not, OR, ( ), from: to: cc: subject: in: source: has:image is:unread filename: after:7d before:2026-11-16. Newest first.',
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
      row: (hit, listing) => ({ ...messageList.row?.(hit, listing), text: hit.snippet.replaceAll('**', '') }),
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

function notesOn(output: Parameters<typeof notes>[0] & { matched?: string | undefined }): string[] {
  const part = output.matched === 'part';
  return [...(part ? ['No message has all these as whole words; these have the text in them.'] : []), ...notes(output)];
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
  const { kind, place } = placeOf(cursor);
  const page: PageRequest = { limit: limit ?? DEFAULT_LIMIT, ...place, ...(sort === 'relevance' ? { sort } : {}) };
  const found = await firstWithResults(
    attempts.filter((attempt) => kind === undefined || attempt.kind === kind),
    ({ filter }) => parts.messages.find({ ...scope.filter, ...filter, skipDiscarded: true }, page),
  );
  const isWhole = isFull ?? parts.door !== 'mcp';
  return toOutput(found, { page, scope, source: where.source, isWhole, isDefaultPage: limit === undefined });
}

function placeOf(cursor = ''): { kind?: string; place: Pick<PageRequest, 'beforeId' | 'offset'> } {
  const [, kind, beforeId, offset] = CURSOR.exec(cursor) ?? [];
  return {
    ...(kind === undefined ? {} : { kind }),
    place: {
      ...(beforeId === undefined ? {} : { beforeId }),
      ...(offset === undefined ? {} : { offset: Number(offset) }),
    },
  };
}

type Found = MessagePage & { attempt?: SearchAttempt };

async function firstWithResults(
  attempts: readonly SearchAttempt[],
  look: (attempt: SearchAttempt) => Promise<MessagePage>,
): Promise<Found> {
  for (const attempt of attempts) {
    const found = await look(attempt);
    if (found.messages.length > 0) return { attempt, ...found };
  }
  return { messages: [], hasMore: false };
}

interface Requested {
  page: PageRequest;
  scope: QueryScope;
  source: string | undefined;
  /** Whether texts are given in full. */
  isWhole: boolean;
  isDefaultPage: boolean;
}

function toOutput({ attempt, messages, hasMore }: Found, requested: Requested): z.input<typeof Output> {
  const { page, scope, source, isWhole, isDefaultPage } = requested;
  const fields = scopeFields(scope, source);
  if (!attempt) return { messages: [], ...fields };
  const { kind, marked } = attempt;
  const hits = messages.map((message) => ({
    ...toMessageView(message, isWhole ? { full: true } : { full: false, marked }),
    snippet: visible(snippet(message.text, marked)),
  }));
  const shown = isWhole || !isDefaultPage ? { items: hits, isCut: false } : fittingPage(hits, bytesOfHit, fields);
  const last = page.sort ? `+${(page.offset ?? 0) + shown.items.length}` : shown.items.at(-1)?.id;
  return {
    messages: [...shown.items],
    matched: kind,
    ...(hasMore || shown.isCut ? { next_cursor: `${kind}.${last}` } : {}),
    ...(shown.isCut ? { is_cut: true } : {}),
    ...fields,
  };
}

type SearchHit = z.output<typeof Hit>;

function hitLine(hit: SearchHit): string {
  return `${messageLine({ ...hit, content: hit.snippet }, qualifiedChat(hit))} (${idAndLength(hit)})`;
}

function bytesOfHit(hit: SearchHit): number {
  return bytesInAnswer(compactMessage(withoutSnippet(hit), {}), hitLine(hit));
}

function withoutSnippet({ snippet: _, ...message }: SearchHit) {
  return message;
}
