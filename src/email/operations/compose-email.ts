import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { readRecipients } from '../compose/recipients.ts';
import {
  AccountRef,
  Attachments,
  Body,
  DraftOutput,
  Format,
  RecipientFields,
  Subject,
} from '../drafts/draft-schema.ts';
import { attachmentsFor, renderDraft, type WriteParts, writeDraft } from '../drafts/write-draft.ts';

export const composeEmail = operation({
  mcp: { name: 'compose_email', title: 'Write a draft' },
  cli: {
    path: 'email compose',
    positionals: ['body'],
    examples: ["switchboard email compose --to joe@example.org --subject Hello 'Hi Joe'"],
  },
  rest: { method: 'POST', path: '/emails/drafts' },
  kind: 'command',
  effect: 'writes',
  description: 'Writes a draft into the Drafts folder of an account. Sends nothing.',
  input: z.strictObject({
    ...RecipientFields,
    subject: Subject,
    body: Body,
    account: AccountRef,
    format: Format,
    attachments: Attachments,
  }),
  output: DraftOutput,
  async run(input, context: OperationContext & WriteParts) {
    const { subject, body, format } = input;
    const recipients = readRecipients(input);
    const account = await context.writingAccounts.resolve(input.account);
    const attachments = await attachmentsFor(context, input.attachments);
    return writeDraft(context, account, { ...recipients, subject, body, format, attachments });
  },
  render: renderDraft,
});
