import type { MailAddress, ParsedEmail } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import { sendGrants } from '../../domain/grants.ts';
import type { OutboxItem, OutboxPort, OutboxSubmission } from '../../domain/outbox.ts';
import type { Principal } from '../../domain/principal.ts';
import { quotedName } from '../../lib/shown-name.ts';
import type { OperationContext } from '../../operation.ts';
import { createOwnership, distinct, shownAddress } from '../compose/address.ts';
import { checkCount } from '../compose/recipients.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';
import { type DraftPlace, MAX_RAW_BYTES } from './draft-folder.ts';
import type { MessageReader, WritingAccount, WritingParts } from './parts.ts';
import { EMAIL, type EmailPayload, readPayload, toPayload } from './payload.ts';
import { digestOf } from './raw-email.ts';

export interface SubmitParts extends WritingParts {
  /** All of them, whoever calls: it is only looked up what an email answers. */
  allMessages: MessageReader;
  outbox: Pick<OutboxPort, 'submit' | 'find' | 'inLane'>;
}

/** Hands a draft to the outbox, unless it is there already: the same draft is not sent twice. */
export async function submitDraft(
  context: SubmitParts & OperationContext,
  draft: DraftPlace,
  idempotencyKey: string | undefined,
): Promise<OutboxItem> {
  const account = await accountOf(context, draft);
  const submission = await submissionOf(context, account, draft);
  const items = await context.outbox.inLane(EMAIL, account.id, submission.lane ?? '');
  // One that may have been sent counts, whatever the draft says now. Of the others, only the same text does.
  const same = items.find((item) => item.state === 'uncertain' || hasDigest(item, submission));
  if (idempotencyKey === undefined) return same ?? context.outbox.submit(submission, context);
  const began = context.clock.now();
  const item = await context.outbox.submit({ ...submission, idempotencyKey }, context);
  // What failed in an earlier call was certainly not sent: this call tries again.
  if (item.state !== 'failed' || item.createdAt >= began) return item;
  return same ?? context.outbox.submit(submission, context);
}

/** A call that the client repeats with the answer of its user is about the item that the user has seen. */
export async function submitAnswered(context: SubmitParts & OperationContext): Promise<OutboxItem | undefined> {
  const answered = context.asking?.answered;
  const item = answered && (await context.outbox.find(answered.id));
  if (!item || item.sender !== EMAIL) return undefined;
  const { through, lane, recipients, summary, payload } = item;
  const known = { sender: EMAIL, through, recipients, summary, payload, ...(lane === undefined ? {} : { lane }) };
  return context.outbox.submit(known, context);
}

async function accountOf({ writingAccounts }: SubmitParts, { email }: DraftPlace): Promise<WritingAccount> {
  const account = await writingAccounts.byId(email.account);
  checkSending(email.account, account);
  return account;
}

/** Throws VALIDATION_ERROR for an account that cannot send, and ACCOUNT_NOT_FOUND for one that was removed. */
export function checkSending(id: string, account: WritingAccount | undefined): asserts account is WritingAccount {
  if (account?.sending) return;
  if (!account) {
    throw new AppError('ACCOUNT_NOT_FOUND', `The account '${id}' of this draft does not exist any more.`);
  }
  throw new AppError('VALIDATION_ERROR', `The account '${id}' has no server for sending.`, {
    field: 'account',
    hint: howToSend(account),
  });
}

/** The settings of an account that was added by a command are not changed afterwards. */
function howToSend({ id, configuredIn, from }: WritingAccount): string {
  if (configuredIn === 'file') return `Add \`smtp\` to accounts.${id} in config.yaml.`;
  const commands = `\`switchboard email remove ${id}\`, then \`switchboard email add --email ${from.address} --id ${id}\``;
  return `Add it again with a server for sending: ${commands}. Its mail stays on its server and is fetched again.`;
}

async function submissionOf(
  context: SubmitParts & OperationContext,
  account: WritingAccount,
  draft: DraftPlace,
): Promise<OutboxSubmission & { payload: EmailPayload }> {
  const [{ session }, connector] = await Promise.all([
    context.sessions.of(account.id, context.signal),
    context.connector(),
  ]);
  const raw = await session.source(draft.path, draft.uid, MAX_RAW_BYTES).catch((error: unknown) => {
    throw mailFailure(error, account.id);
  });
  const email = connector.parse(raw, { countsAllRecipients: true });
  const recipients = recipientsOf(email);
  checkGrants(context.principal, account, recipients);
  const { id } = draft.email;
  const answers = await answeredChat(context, account, email, recipients);
  const payload = toPayload(email, { id, digest: digestOf(raw), answers });
  return {
    sender: EMAIL,
    through: account.id,
    lane: payload.rfc_message_id ?? id,
    recipients: recipients.map((each) => ({ id: each.address, name: shownAddress(each) })),
    summary: email.subject || '(no subject)',
    payload,
    recipientField: 'to',
  };
}

/** Nobody is left out silently: another program may have saved a draft whose recipients are not complete yet. */
function recipientsOf(email: ParsedEmail): readonly MailAddress[] {
  checkCount(email);
  const all = [...email.to, ...email.cc, ...email.bcc];
  const wrong = all.find(({ address }) => !/.@./.test(address));
  if (wrong) {
    const shown = quotedName(wrong.address || wrong.name);
    throw new AppError('VALIDATION_ERROR', `The recipient ${shown} of the draft is not an email address.`, {
      field: 'to',
      hint: 'Change the recipients of the draft.',
    });
  }
  if (all.length === 0) throw new AppError('VALIDATION_ERROR', 'The draft has no recipient.', { field: 'to' });
  return distinct(all);
}

/** Addresses are granted like chats: `work:ann@example.org`. Throws FORBIDDEN. */
function checkGrants(principal: Principal, { id: source }: WritingAccount, recipients: readonly MailAddress[]): void {
  const grants = sendGrants(principal);
  if (recipients.every(({ address }) => grants.includes({ source, id: address }))) return;
  throw new AppError('FORBIDDEN', `${principal.name} may not send to all recipients of this email.`, { field: 'to' });
}

/**
 * The conversation that an email answers, if it goes to nobody else. Addresses in Reply-To do not count: they are what a sender
 * claims, and nobody has written from them.
 */
async function answeredChat(
  { mail, allMessages }: SubmitParts,
  { id, own }: WritingAccount,
  { inReplyTo }: ParsedEmail,
  recipients: readonly MailAddress[],
): Promise<string | undefined> {
  const [answered] = inReplyTo === undefined ? [] : await mail.byRfcId(id, inReplyTo);
  const message = answered && (await allMessages.byId(answered.id));
  if (!message?.mail) return undefined;
  const { from, to, cc } = message.mail;
  const takesPart = createOwnership([...own, ...[...from, ...to, ...cc].map(({ address }) => address)]);
  return recipients.every(({ address }) => takesPart(address)) ? message.chat.id : undefined;
}

function hasDigest(item: OutboxItem, { payload }: { payload: EmailPayload }): boolean {
  return readPayload(item)?.digest === payload.digest;
}
