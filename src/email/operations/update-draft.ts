import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { readRecipients } from '../compose/recipients.ts';
import { type DraftPlace, draftOfCaller, MAX_RAW_BYTES, removeDraft, saveDraftRaw } from '../drafts/draft-folder.ts';
import { Attachments, Body, DraftId, DraftOutput, Format, RecipientFields, Subject } from '../drafts/draft-schema.ts';
import type { MessageReader } from '../drafts/parts.ts';
import { revisedDraft } from '../drafts/revise-draft.ts';
import { MAX_WHOLE_TEXT } from '../drafts/whole-text.ts';
import { attachmentsFor, renderDraft, toDraftOutput, type WriteParts } from '../drafts/write-draft.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';

const Input = z.strictObject({
  draft_id: DraftId,
  to: RecipientFields.to.optional(),
  cc: RecipientFields.cc,
  bcc: RecipientFields.bcc,
  subject: Subject.optional(),
  body: Body.optional().describe('Replaces the whole text, a quoted email included.'),
  format: Format,
  attachments: Attachments.describe('Replace those of the draft.'),
});

export const updateDraft = operation({
  mcp: { name: 'update_draft', combinedOnly: true, title: 'Change a draft' },
  cli: { path: 'email update-draft', positionals: ['draft_id'] },
  rest: { method: 'PUT', path: '/emails/drafts/:draft_id' },
  kind: 'command',
  effect: 'writes',
  description: 'Changes the given fields of a draft, which gets a new draft_id.',
  input: Input,
  output: DraftOutput,
  async run(input, context: OperationContext & WriteParts & { messages: MessageReader }) {
    const draft = await draftOfCaller(context, input.draft_id);
    const id = draft.email.account;
    const account = await context.writingAccounts.byId(id);
    if (!account) {
      throw new AppError('ACCOUNT_NOT_FOUND', `The account '${id}' of this draft does not exist any more.`);
    }
    const change = await changeIn(input, context);
    try {
      const { raw, content } = await revisedDraft(context, account, await opened(context, draft), change);
      const saved = await saveDraftRaw(context, account, raw, context.signal);
      await removeDraft(context, draft, context.signal);
      return toDraftOutput(saved, account, content, undefined);
    } catch (error) {
      throw mailFailure(error, id);
    }
  },
  render: renderDraft,
});

async function opened(context: OperationContext & WriteParts, draft: DraftPlace) {
  const [{ session }, connector] = await Promise.all([
    context.sessions.of(draft.email.account, context.signal),
    context.connector(),
  ]);
  const raw = await session.source(draft.path, draft.uid, MAX_RAW_BYTES);
  return { raw, email: connector.parse(raw, { maxText: MAX_WHOLE_TEXT, countsAllRecipients: true }), draft, session };
}

async function changeIn(input: z.output<typeof Input>, context: OperationContext & WriteParts) {
  const { to, cc, bcc } = readRecipients(input);
  const attachments = input.attachments && (await attachmentsFor(context, input.attachments));
  return {
    format: input.format,
    ...(input.to === undefined ? {} : { to }),
    ...(input.cc === undefined ? {} : { cc }),
    ...(input.bcc === undefined ? {} : { bcc }),
    ...(input.subject === undefined ? {} : { subject: input.subject }),
    ...(input.body === undefined ? {} : { body: input.body }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}
