import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { forwardHeader, withForwarded } from '../compose/forward.ts';
import { readRecipients } from '../compose/recipients.ts';
import { Attachments, Body, DraftOutput, Format, RecipientFields } from '../drafts/draft-schema.ts';
import { originalAttachments } from '../drafts/forwarded-files.ts';
import { answeredEmail } from '../drafts/original.ts';
import type { MessageReader } from '../drafts/parts.ts';
import { wholeOriginal } from '../drafts/whole-text.ts';
import { attachmentsFor, renderDraft, type WriteParts, writeDraft } from '../drafts/write-draft.ts';

const END_IS_MISSING = 'The text is too long to be forwarded as a whole: its end is left out, and the draft says so.';

export const forwardEmail = operation({
  mcp: { name: 'forward_email', combinedOnly: true, title: 'Forward an email' },
  cli: {
    path: 'email forward',
    positionals: ['message_id', 'body'],
    examples: ['switchboard email forward 1234 --to joe@example.org'],
  },
  rest: { method: 'POST', path: '/emails/:message_id/forward' },
  kind: 'command',
  effect: 'writes',
  description: 'Writes a draft that forwards an email with its attachments. Sends nothing.',
  input: z.strictObject({
    message_id: z.string().max(64).describe('Id from search_emails.'),
    ...RecipientFields,
    body: Body.default(''),
    include_attachments: z.boolean().default(true).describe('Default true.'),
    format: Format,
    attachments: Attachments,
  }),
  output: DraftOutput,
  async run(input, context: OperationContext & WriteParts & { messages: MessageReader }) {
    const { body, format } = input;
    const recipients = readRecipients(input);
    const answered = await answeredEmail(context, input.message_id);
    const { account, message, stored } = answered;
    const own = await attachmentsFor(context, input.attachments);
    const forwarded = input.include_attachments ? await originalAttachments(context, stored, own, context.signal) : [];
    const original = await wholeOriginal(context, answered, context.signal);
    return writeDraft(context, account, {
      ...recipients,
      ...forwardHeader(original),
      body,
      format,
      attachments: [...forwarded, ...own],
      thread: message.chat.id,
      warnings: original.isCut ? [END_IS_MISSING] : [],
      around: (written) => withForwarded(written, original),
    });
  },
  render: renderDraft,
});
