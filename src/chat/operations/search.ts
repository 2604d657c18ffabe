import { z } from 'zod';
import { visible } from '../../lib/visible.ts';
import { operation } from '../../operation.ts';
import { messageLine } from '../message-line.ts';
import { MessageView, toMessageView } from '../message-view.ts';
import type { MessagePage } from '../ports.ts';
import { snippet } from '../snippet.ts';
import { messageList } from './message-list.ts';
import {
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

const KINDS = ['words', 'part'] as const;

const Hit = MessageView.extend({ snippet: z.string() });

const Output = MessagesOutput.extend({ messages: z.array(Hit), matched: z.enum(KINDS).optional() });

const shared = {
  ...narrowing,
  limit: z.int().min(1).max(500).default(20),
  cursor: z
    .string()
    .refine((text) => CURSOR.test(text), 'must be a next_cursor of an earlier answer')
    .optional()
    .describe('next_cursor of an earlier answer.'),
};

/** Later pages are searched in the same way as the first one. */
const CURSOR = /^(words|part)\.(\d{1,16})$/;

const SearchInput = z.strictObject({ query: searchText(), ...shared });

export const search = operation({
  mcp: { name: 'search', title: 'Search all messages', combinedOnly: true },
  kind: 'query',
  effect: 'reads',
  description:
    'Searches all sources for messages with all these words or, if there is none, with the text as a substring. Newest first.',
  input: SearchInput,
  output: Output,
  run: (asked, parts: QueryParts) => find(asked, parts),
  render: (output) =>
    [
      ...output.messages.map(
        (hit) => `${messageLine({ ...hit, content: hit.snippet }, qualifiedChat(hit))} (id ${hit.id})`,
      ),
      ...(output.messages.length === 0 ? ['No message fits.'] : []),
      ...notesOn(output),
    ].join('\n'),
});

export const searchRoute = operation({
  rest: { method: 'GET', path: '/search' },
  kind: 'query',
  effect: 'reads',
  description: search.description,
  input: z.strictObject({ q: searchText().describe('Words to search for.'), ...shared }),
  output: Output,
  run: ({ q, ...asked }, parts: QueryParts) => find({ query: q, ...asked }, parts),
});

export const searchCommand = operation({
  cli: {
    path: 'chat search',
    positionals: ['words'],
    letters: { n: 'limit' },
    examples: ['switchboard chat search deploy failed', 'switchboard chat search 木曜 --since 30d --source telegram'],
    list: {
      ...messageList,
      row: (hit, listing) => ({ ...messageList.row?.(hit, listing), text: hit.snippet.replaceAll('**', '') }),
      line: (hit) => messageLine({ ...hit, content: hit.snippet }, qualifiedChat(hit)),
      notes: notesOn,
    },
  },
  kind: 'query',
  effect: 'reads',
  description: search.description,
  input: z.strictObject({ words: z.array(searchText()).min(1).max(50).describe('Words to search for.'), ...shared }),
  output: Output,
  run: ({ words, ...asked }, parts: QueryParts) => find({ query: words.join(' '), ...asked }, parts),
});

function notesOn(output: Parameters<typeof notes>[0] & { matched?: string | undefined }): string[] {
  const part = output.matched === 'part';
  return [...(part ? ['No message has all these as whole words; these have the text in them.'] : []), ...notes(output)];
}

async function find(
  { query: text, limit, cursor, ...where }: z.output<typeof SearchInput>,
  parts: QueryParts,
): Promise<z.input<typeof Output>> {
  const scope = await scopeOf(where, parts);
  const [, kind, beforeId] = CURSOR.exec(cursor ?? '') ?? [];
  const found = await firstWithResults(kind === undefined ? KINDS : KINDS.filter((one) => one === kind), (one) =>
    parts.messages.find(
      { ...scope.filter, text: { kind: one, text } },
      { limit, ...(beforeId === undefined ? {} : { beforeId }) },
    ),
  );
  return toOutput(found, text, scope, where.source);
}

type Found = MessagePage & { kind: (typeof KINDS)[number] };

async function firstWithResults(kinds: readonly Found['kind'][], look: (kind: Found['kind']) => Promise<MessagePage>) {
  let found: Found = { kind: 'words', messages: [], hasMore: false };
  for (const kind of kinds) {
    found = { kind, ...(await look(kind)) };
    if (found.messages.length > 0) break;
  }
  return found;
}

function toOutput(
  { kind, messages, hasMore }: Found,
  text: string,
  scope: QueryScope,
  source: string | undefined,
): z.input<typeof Output> {
  const last = messages.at(-1);
  return {
    messages: messages.map((message) => ({
      ...toMessageView(message),
      snippet: snippet(visible(message.text), { kind, text }),
    })),
    ...(messages.length === 0 ? {} : { matched: kind }),
    ...(hasMore && last ? { next_cursor: `${kind}.${last.id}` } : {}),
    ...scopeFields(scope, source),
  };
}
