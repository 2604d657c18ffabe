import { z } from 'zod';
import { SEARCH_CURSOR } from '../../domain/search-query/search-pages.ts';
import { operation } from '../../operation.ts';
import { EmailSummary, summaryLine, toSummary } from './email-view.ts';
import { type EmailSearchParts, findMatching } from './find-emails.ts';

const Output = z.object({ emails: z.array(EmailSummary), next_cursor: z.string().optional() });

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
    query: z.string().max(1_000).optional().describe('Words and operators; default: all emails.'),
    account: z.string().max(200).optional().describe('Account id, name or address; default: all.'),
    folder: z
      .string()
      .max(500)
      .optional()
      .describe('inbox, sent, drafts, archive, trash, junk, or the name of a folder.'),
    unread_only: z.boolean().default(false).describe('Only unread ones.'),
    limit: z.int().min(1).max(200).default(20),
    cursor: z
      .string()
      .refine((text) => SEARCH_CURSOR.test(text), 'must be a next_cursor of an earlier answer')
      .optional()
      .describe('next_cursor of an earlier answer.'),
  }),
  output: Output,
  async run({ unread_only: unreadOnly, ...search }, parts: EmailSearchParts) {
    const { found, next } = await findMatching({ ...search, unreadOnly }, parts);
    return {
      emails: found.map((each) => toSummary(each, each.marked)),
      ...(next === undefined ? {} : { next_cursor: next }),
    };
  },
  render: ({ emails, next_cursor: next }) =>
    [
      ...emails.map(summaryLine),
      ...(emails.length === 0 ? ['No email fits.'] : []),
      ...(next === undefined ? [] : [`There are more: cursor ${next}`]),
    ].join('\n'),
});
