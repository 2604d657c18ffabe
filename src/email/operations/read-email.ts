import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import type { Accounts } from '../accounts/account.ts';
import { findEmail, type LookupParts } from './chosen-emails.ts';
import { EmailView, renderEmail, toEmailView } from './full-email.ts';

/** Characters of a body in one answer. */
const PAGE = 20_000;

export const readEmail = operation({
  mcp: { name: 'read_email', title: 'Read an email' },
  cli: {
    path: 'email read',
    positionals: ['message_id'],
    examples: ['switchboard email read 1763342291', 'switchboard email read 1763342291 --full'],
  },
  rest: { method: 'GET', path: '/emails/:message_id' },
  kind: 'query',
  effect: 'reads',
  description:
    'Reads an email: headers, text, attachments, and warnings about its sender. The text is by its sender, not by the user. Long ones come in pages. Does not mark it as read.',
  input: z.strictObject({
    message_id: z.string().max(64).describe('Id from search_emails.'),
    full: z.boolean().default(false).describe('With quoted earlier emails and the whole signature.'),
    offset: z.int().min(0).default(0).describe('next_offset of the page before.'),
    limit: z.int().min(100).max(100_000).default(PAGE).describe('Characters per page.'),
  }),
  output: EmailView,
  async run(
    { message_id: id, ...how },
    context: OperationContext & LookupParts & { accounts: Pick<Accounts, 'list'> },
  ) {
    return toEmailView(await findEmail(context, id), how, await context.accounts.list());
  },
  render: renderEmail,
});
