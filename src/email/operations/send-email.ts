import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { OutboxItem } from '../../domain/outbox.ts';
import { answerableIdentity } from '../../domain/principal.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { readRecipients } from '../compose/recipients.ts';
import { type DraftPlace, draftById, draftOfCaller, removeDraft, saveDraft } from '../drafts/draft-folder.ts';
import { draftOfKey } from '../drafts/draft-of-key.ts';
import { AccountRef, Attachments, Body, DraftId, Format, RecipientFields, Subject } from '../drafts/draft-schema.ts';
import { messageIdOfKey } from '../drafts/message-id.ts';
import type { MessageReader } from '../drafts/parts.ts';
import { checkSending, type SubmitParts, submitAnswered, submitDraft } from '../drafts/submit-draft.ts';
import { attachmentsFor, contentOf, type WriteParts } from '../drafts/write-draft.ts';

type Context = OperationContext & WriteParts & SubmitParts & { messages: MessageReader };

const Input = z.strictObject({
  draft_id: DraftId.optional().describe('Draft to send, instead of the other fields.'),
  to: RecipientFields.to.optional(),
  cc: RecipientFields.cc,
  bcc: RecipientFields.bcc,
  subject: Subject.optional(),
  body: Body.optional(),
  account: AccountRef,
  format: Format,
  attachments: Attachments,
  idempotency_key: z.string().max(200).optional().describe('A repeated key sends once.'),
});

const Output = z.object({
  status: z.enum(['sent', 'queued', 'held', 'uncertain']),
  message_id: z.string().optional(),
  rfc_message_id: z.string().optional(),
  draft_id: z.string().optional(),
  outbox_id: z.string(),
  account: z.string(),
  to: z.array(z.string()),
  reason: z.string().optional(),
});

export const sendEmail = operation({
  mcp: { name: 'send_email', title: 'Send an email' },
  cli: {
    path: 'email send',
    examples: [
      'switchboard email send --draft-id 1234',
      "switchboard email send --to joe@example.org --subject Hello --body 'See you tomorrow'",
    ],
    failed: ({ status }) => status === 'uncertain',
  },
  rest: { method: 'POST', path: '/emails/send' },
  kind: 'command',
  effect: 'sends',
  description:
    'Sends a draft, or writes and sends an email in one step. The policy may hold it until a person approves. If it fails, the draft is kept.',
  input: Input,
  output: Output,
  async run(input, context: Context) {
    const answered = await submitAnswered(context);
    if (answered) return resultOf(context, answered, undefined);
    const began = context.clock.now();
    const { draft, isNew } =
      input.draft_id === undefined
        ? await written(input, context)
        : { draft: await draftIn(context, input.account, await draftOfCaller(context, named(input))), isNew: false };
    const { id } = draft.email;
    const item = await submitDraft(context, draft, input.idempotency_key).catch(async (error: unknown) => {
      // The key was used before: this draft was written for nothing.
      if (error instanceof AppError && error.code === 'CONFLICT') await removeLeftDraft(context, id);
      throw withDraft(error, id);
    });
    const isRepeated = isNew && item.state === 'sent' && item.createdAt < began;
    if (isRepeated || (await isAmongSent(context, item))) await removeLeftDraft(context, id);
    return resultOf(context, item, id);
  },
  render({ status, message_id: id, outbox_id: outboxId, to, reason, draft_id: draft }) {
    const because = reason === undefined ? '' : ` ${reason}`;
    const whom = to.join(', ');
    if (status === 'sent') return `Sent to ${whom}${id === undefined ? '' : ` as message ${id}`}.${because}`;
    if (status === 'held')
      return `Held: not sent to ${whom} until a person approves it (outbox item ${outboxId}).${because}`;
    if (status === 'queued')
      return `Queued: not sent to ${whom} yet (outbox item ${outboxId}, draft ${draft}).${because}`;
    return `It is not known whether this was sent to ${whom}; do not send it again (outbox item ${outboxId}).${because}`;
  },
});

/** The draft that the caller names; further fields would be lost. */
function named({ draft_id: id = '', to, cc, bcc, subject, body, attachments }: z.output<typeof Input>): string {
  const given = Object.entries({ to, cc, bcc, subject, body, attachments }).find(([, value]) => value !== undefined);
  if (!given) return id;
  throw new AppError('VALIDATION_ERROR', `A draft is sent as it is: ${given[0]} cannot be given with draft_id.`, {
    field: given[0],
    hint: 'Change the draft with update_draft, or leave out draft_id.',
  });
}

/** A draft leaves from the account it is in. Throws VALIDATION_ERROR if the caller names another one. */
async function draftIn(
  { writingAccounts }: Context,
  wanted: string | undefined,
  draft: DraftPlace,
): Promise<DraftPlace> {
  const { account } = draft.email;
  if (wanted === undefined || (await writingAccounts.resolve(wanted)).id === account) return draft;
  throw new AppError('VALIDATION_ERROR', `The draft is in the account '${account}', and is sent from there.`, {
    field: 'account',
    hint: 'Leave out account, or write the email anew in the other account.',
  });
}

/** Writes the email as a draft, unless an earlier call with its key did. */
async function written(
  input: z.output<typeof Input>,
  context: Context,
): Promise<{ draft: DraftPlace; isNew: boolean }> {
  const { subject, body, format, idempotency_key: key } = input;
  if (input.to === undefined) {
    throw new AppError('VALIDATION_ERROR', 'Nothing to send: give draft_id, or to, subject and body.', { field: 'to' });
  }
  for (const [field, value] of Object.entries({ subject, body })) {
    if (value === undefined) throw new AppError('VALIDATION_ERROR', `An email needs ${field}.`, { field });
  }
  const recipients = readRecipients(input);
  const account = await context.writingAccounts.resolve(input.account);
  // Before there is a draft that cannot be sent.
  checkSending(account.id, account);
  const rfcMessageId = key ? messageIdOfKey(key, answerableIdentity(context.principal), account) : undefined;
  const content = await contentOf(context, account, {
    ...recipients,
    subject: subject ?? '',
    body: body ?? '',
    format,
    attachments: await attachmentsFor(context, input.attachments),
    ...(rfcMessageId === undefined ? {} : { rfcMessageId }),
  });
  const before = rfcMessageId && (await draftOfKey(context, account.id, content, context.signal));
  if (before) return { draft: before, isNew: false };
  return { draft: await draftById(context, await saveDraft(context, account, content, context.signal)), isNew: true };
}

/** Before that, the draft is the only copy of what was sent. */
async function isAmongSent({ mail, writingAccounts }: Context, item: OutboxItem): Promise<boolean> {
  const { state, through, externalId } = item;
  if (state !== 'sent' || externalId === undefined) return false;
  if ((await writingAccounts.byId(through))?.sending?.savesCopies) return true;
  const emails = await mail.byRfcId(through, externalId);
  return emails.some(({ locations }) => locations.some(({ role }) => role === 'sent'));
}

async function removeLeftDraft(context: Context, id: string): Promise<void> {
  const left = await draftById(context, id).catch(() => undefined);
  if (left) await removeDraft(context, left, context.signal);
}

async function resultOf(context: Context, item: OutboxItem, draft: string | undefined) {
  const { id, through, state, externalId, reason, recipients } = item;
  if (state === 'failed' || state === 'discarded') throw notSent(item, draft);
  const sent =
    state === 'sent' && externalId !== undefined ? await sentMessage(context, through, externalId) : undefined;
  return {
    status: state === 'sending' ? ('queued' as const) : state,
    ...(sent === undefined ? {} : { message_id: sent }),
    ...(externalId === undefined ? {} : { rfc_message_id: externalId }),
    ...(state === 'sent' || draft === undefined ? {} : { draft_id: draft }),
    outbox_id: id,
    account: through,
    to: recipients.map(({ name }) => name),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Our id of the copy in the folder of sent mail. */
async function sentMessage({ mail }: Context, account: string, rfcMessageId: string): Promise<string | undefined> {
  const emails = await mail.byRfcId(account, rfcMessageId);
  return (emails.find(({ locations }) => locations.some(({ role }) => role === 'sent')) ?? emails[0])?.id;
}

function notSent({ id, state, reason = '' }: OutboxItem, draft: string | undefined): AppError {
  const kept = draft === undefined ? 'The draft is kept.' : `The draft is kept: draft_id ${draft}.`;
  const what = state === 'discarded' ? 'Not sent: it was discarded.' : 'Not sent.';
  return new AppError('SERVICE_UNAVAILABLE', `${what} ${reason}`.trim(), { hint: `${kept} Outbox item ${id}.` });
}

/** The draft remains, whatever else the outbox says. */
function withDraft(error: unknown, draft: string): unknown {
  if (!(error instanceof AppError) || error.code === 'CONFLICT') return error;
  const { code, message, field, hint, cause } = error;
  const kept = `The draft is kept: draft_id ${draft}.`;
  return new AppError(code, message, { field, cause, hint: hint === undefined ? kept : `${hint} ${kept}` });
}
