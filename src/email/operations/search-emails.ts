import { z } from 'zod';
import { SEARCH_CURSOR } from '../../domain/search-query/search-pages.ts';
import { bytesInAnswer, CUT, fittingPage } from '../../lib/answer-size.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { EmailSummary, summaryLine, toSummary, wholeSummaryLine } from './email-view.ts';
import { type EmailMatches, type EmailSearchParts, findMatching } from './find-emails.ts';

const Output = z.object({
  emails: z.array(EmailSummary),
  next_cursor: z.string().optional(),
  is_cut: z.boolean().optional(),
});

/** Emails of a page, unless a `limit` is given. */
const DEFAULT_LIMIT = 20;

export const searchEmails = operation({
  mcp: { name: 'search_emails', title: 'Search emails' },
  cli: {
    path: 'email search',
    positionals: ['query'],
    letters: { n: 'limit' },
    examples: [
      'switchboard email search invoice',
      "switchboard email search 'from:ann subject:offer has:attachment after:30d'",
      'switchboard email search --account work --folder inbox --unread-only',
    ],
    list: {
      key: 'emails',
      columns: ['message_id', 'date', 'account', 'from', 'subject', 'unread'],
      row: (email) => ({ ...email, unread: email.is_unread }),
      line: (email) => summaryLine(EmailSummary.parse(email)),
    },
  },
  rest: { method: 'GET', path: '/emails' },
  kind: 'query',
  effect: 'reads',
  description:
    'Searches emails by words of subject, sender and text, newest first. Operators: "phrase", -not, OR, from:, to:, cc:, subject:, in:FOLDER, has:attachment, filename:, is:unread, is:flagged, after:, before:.',
  input: z.strictObject({
    query: z.string().max(1_000).optional().describe('Words and operators; default: all.'),
    account: z.string().max(200).optional().describe('Account id, name or address; default: all.'),
    folder: z.string().max(500).optional().describe("inbox, sent, drafts, archive, trash, junk, or a folder's name."),
    unread_only: z.boolean().default(false).describe('Unread only.'),
    limit: z.int().min(1).max(200).optional().describe('Default 20, 1 to 200.'),
    cursor: z
      .string()
      .refine((text) => SEARCH_CURSOR.test(text), 'must be a next_cursor of an earlier answer')
      .optional()
      .describe('next_cursor of an earlier answer.'),
  }),
  output: Output,
  async run({ unread_only: unreadOnly, ...search }, parts: OperationContext & EmailSearchParts) {
    const { limit = DEFAULT_LIMIT } = search;
    const { found, next, cursorAfter } = await findMatching({ ...search, limit, unreadOnly }, parts);
    const emails = summariesOf(found);
    const page =
      parts.door === 'mcp'
        ? fittingPage(emails, bytesOfEmail, { isAsked: search.limit !== undefined })
        : { items: [...emails], isCut: false };
    const last = page.items.at(-1);
    const cursor = page.isCut && last ? cursorAfter(last.message_id) : next;
    return {
      emails: [...page.items],
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
      ...(page.isCut ? { is_cut: true } : {}),
    };
  },
  render: ({ emails, next_cursor: next, is_cut: isCut }) =>
    [
      ...emails.map(wholeSummaryLine),
      ...(emails.length === 0 ? ['No email fits.'] : []),
      ...(next === undefined ? [] : [`${isCut ? CUT : 'There are more'}: cursor ${next}`]),
    ].join('\n'),
});

/** Made one by one: those that do not fit into the answer are not needed. */
function* summariesOf(found: EmailMatches['found']) {
  for (const each of found) yield toSummary(each, each.marked);
}

function bytesOfEmail(email: z.output<typeof EmailSummary>) {
  return bytesInAnswer(email, wholeSummaryLine(email));
}
