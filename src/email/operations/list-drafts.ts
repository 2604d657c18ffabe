import { z } from 'zod';
import { quotedName } from '../../lib/shown-name.ts';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { shownAddress } from '../compose/address.ts';
import { AccountRef } from '../drafts/draft-schema.ts';
import type { FoundEmail } from './chosen-emails.ts';
import { type EmailSearchParts, findMatching } from './find-emails.ts';

const View = z.object({
  draft_id: z.string(),
  account: z.string(),
  thread_id: z.string(),
  subject: z.string(),
  to: z.array(z.string()),
  date: z.string(),
  attachments: z.int().optional(),
});

export const listDrafts = operation({
  mcp: { name: 'list_drafts', combinedOnly: true, title: 'List drafts' },
  cli: {
    path: 'email drafts',
    list: {
      key: 'drafts',
      columns: ['draft_id', 'account', 'date', 'to', 'subject'],
      line: (draft) => asLine(View.parse(draft)),
    },
  },
  rest: { method: 'GET', path: '/emails/drafts' },
  kind: 'query',
  effect: 'reads',
  description: 'Drafts of the accounts, newest first, also those of other mail programs.',
  input: z.strictObject({
    account: AccountRef,
    limit: z.int().min(1).max(200).default(20).describe('Default 20, 1 to 200.'),
  }),
  output: z.object({ drafts: z.array(View) }),
  async run({ account, limit }, context: OperationContext & EmailSearchParts) {
    const { found } = await findMatching({ account, folder: 'drafts', limit }, context);
    return { drafts: found.filter(isDraft).map(toView) };
  },
  render: ({ drafts }) => drafts.map(asLine).join('\n') || 'There are no drafts.',
});

/** Another folder may be called like that. */
function isDraft({ email }: FoundEmail): boolean {
  return email.locations.some(({ role }) => role === 'drafts');
}

function toView({ message, email }: FoundEmail): z.input<typeof View> {
  const { subject = '', to = [] } = message.mail ?? {};
  const files = email.attachments.length;
  return {
    draft_id: email.id,
    account: email.account,
    thread_id: message.chat.id,
    subject,
    to: to.map(shownAddress),
    date: new Date(message.at).toISOString(),
    ...(files === 0 ? {} : { attachments: files }),
  };
}

function asLine({ draft_id: id, account, date, subject, to, thread_id: thread }: z.output<typeof View>): string {
  return `${date} ${quotedName(subject || '(no subject)')} to ${to.map(quotedName).join(', ') || 'nobody'} in ${account} (draft_id ${id}, thread_id ${visible(thread)})`;
}
