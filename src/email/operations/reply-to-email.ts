import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { distinct } from '../compose/address.ts';
import { readRecipients } from '../compose/recipients.ts';
import { replyHeader, withQuote } from '../compose/reply.ts';
import { Attachments, Body, DraftOutput, Format, RecipientFields } from '../drafts/draft-schema.ts';
import { answeredEmail } from '../drafts/original.ts';
import type { MessageReader } from '../drafts/parts.ts';
import { attachmentsFor, renderDraft, type WriteParts, writeDraft } from '../drafts/write-draft.ts';

export const replyToEmail = operation({
  mcp: { name: 'reply_to_email', title: 'Answer an email' },
  cli: {
    path: 'email reply',
    positionals: ['message_id', 'body'],
    examples: ["switchboard email reply 1234 'Thanks for the info'"],
  },
  rest: { method: 'POST', path: '/emails/:message_id/reply' },
  kind: 'command',
  effect: 'writes',
  description: 'Writes a draft that answers an email, in its thread. Sends nothing.',
  input: z.strictObject({
    message_id: z.string().max(64).describe('Id from search_emails.'),
    body: Body,
    reply_all: z.boolean().default(false).describe('To all its recipients, without your own addresses.'),
    cc: RecipientFields.cc,
    bcc: RecipientFields.bcc,
    quote: z.boolean().default(true).describe('Quotes the email below.'),
    format: Format,
    attachments: Attachments,
  }),
  output: DraftOutput,
  async run(input, context: OperationContext & WriteParts & { messages: MessageReader }) {
    const { body, format, quote, reply_all: all } = input;
    const { account, message, original } = await answeredEmail(context, input.message_id);
    const header = replyHeader(original, { all, own: account.own });
    const added = readRecipients({ cc: input.cc, bcc: input.bcc });
    return writeDraft(context, account, {
      ...header,
      cc: distinct([...header.cc, ...added.cc], header.to),
      bcc: added.bcc,
      body,
      format,
      attachments: await attachmentsFor(context, input.attachments),
      thread: message.chat.id,
      ...(quote ? { around: (written) => withQuote(written, original) } : {}),
    });
  },
  render: renderDraft,
});
