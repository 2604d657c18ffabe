import { MailError, type MailSendOutcome } from '../../connectors/mail-connector.ts';
import type { FolderRole } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { Arrival, Attempt, OutboxItem, OutboxSender } from '../../domain/outbox.ts';
import { changeFlags } from '../mailbox/change-emails.ts';
import type { LiveSession } from '../sync/account-connection.ts';
import { type DraftPlace, draftById, draftsByRfcId, MAX_RAW_BYTES, removeDraft, saveRaw } from './draft-folder.ts';
import { domainOf } from './message-id.ts';
import type { WritingAccount, WritingParts } from './parts.ts';
import { type EmailPayload, readPayload } from './payload.ts';
import { digestOf, fieldOf, withFields, withoutOwnFields } from './raw-email.ts';

/** One attempt, the download of the draft and the copy in the folder of sent mail included. */
const ATTEMPT_MS = 10 * 60_000;
/** Within this time the caller waits, is told that it failed, and may send the draft again. */
const AWAITED_MS = 10_000;
const MAX_SENT = 1_000;

/** Sends the drafts that are in the outbox. */
export function createAttempts(parts: WritingParts): Pick<OutboxSender, 'send' | 'look'> {
  /** Whatever fails afterwards in the folders, these are not sent again. */
  const sentBefore = createSentEmails();

  async function send(item: OutboxItem): Promise<Attempt> {
    const signal = AbortSignal.timeout(ATTEMPT_MS);
    try {
      const job = await openJob(parts, item, signal);
      const known = sentBefore.find(job);
      if (known === 'same') return sent(job);
      const copy = known ?? (await sentCopy(job, parts));
      if (copy === 'same') {
        await removeSubmitted(parts, job, signal);
        return sent(job);
      }
      if (copy === 'other')
        return refusal('Another email with the same Message-ID was sent before. Write this one anew.');
      const attempt = await sendDraft(parts, job, signal);
      if (attempt.kind === 'sent') sentBefore.add(job);
      return attempt.kind === 'not-sent' ? { ...attempt, retry: attempt.retry && !isAwaited(item, parts) } : attempt;
    } catch (error) {
      const { reason, retry } = failureOf(error, parts, item);
      return { kind: 'not-sent', reason, retry: retry && !isAwaited(item, parts) };
    }
  }

  /** Not every server keeps what it has sent: that nothing is found proves nothing. */
  async function look(item: OutboxItem): Promise<Arrival> {
    const signal = AbortSignal.timeout(ATTEMPT_MS);
    const job = await openJob(parts, item, signal).catch(() => undefined);
    if (!job) return { kind: 'unknown' };
    const isSent = (await sentCopy(job, parts)) === 'same' || (await uidsIn(job, parts, 'inbox')).uids.length > 0;
    if (!isSent) return { kind: 'unknown' };
    await removeSubmitted(parts, job, signal);
    return { kind: 'sent', externalId: job.rfcMessageId };
  }

  return { send, look };
}

interface Job {
  item: OutboxItem;
  payload: EmailPayload;
  account: WritingAccount;
  live: LiveSession;
  rfcMessageId: string;
  /** Several if another program left former versions; none if it is not in the folder for drafts any more. */
  drafts: readonly DraftPlace[];
}

async function openJob(parts: WritingParts, item: OutboxItem, signal: AbortSignal): Promise<Job> {
  const payload = readPayload(item);
  if (!payload) throw new AppError('CONFLICT', 'This is no email.');
  const account = await parts.writingAccounts.byId(item.through);
  if (!account) throw new AppError('ACCOUNT_NOT_FOUND', 'The account of this email does not exist any more.');
  const live = await parts.sessions.of(account.id, signal);
  const drafts = await draftsOf(parts, account.id, payload);
  // A draft of another program may have no id: it gets the same one in every attempt.
  const rfcMessageId = payload.rfc_message_id ?? `${item.id}@${domainOf(account.from.address)}`;
  return { item, payload, account, live, rfcMessageId, drafts };
}

/** By its Message-ID, which it keeps when it is saved again; by our id, if it has none. */
async function draftsOf(
  parts: WritingParts,
  account: string,
  { draft_id: id, rfc_message_id: rfcId }: EmailPayload,
): Promise<readonly DraftPlace[]> {
  if (rfcId !== undefined) return draftsByRfcId(parts, account, rfcId);
  return id === undefined
    ? []
    : draftById(parts, id).then(
        (draft) => [draft],
        () => [],
      );
}

/** The draft as it was submitted. */
async function submittedDraft({
  drafts,
  live,
  payload,
}: Job): Promise<{ draft: DraftPlace; raw: Uint8Array } | undefined> {
  let unread: MailError | undefined;
  for (const draft of drafts) {
    try {
      const raw = await live.session.source(draft.path, draft.uid, MAX_RAW_BYTES);
      if (digestOf(raw) === payload.digest) return { draft, raw };
    } catch (error) {
      // A former version may be gone meanwhile.
      if (!(error instanceof MailError) || error.kind !== 'refused') throw error;
      unread = error;
    }
  }
  if (unread) throw unread;
  return undefined;
}

/** It is among the sent ones already. */
async function removeSubmitted(parts: WritingParts, job: Job, signal: AbortSignal): Promise<void> {
  const removed = submittedDraft(job).then((found) => found && removeDraft(parts, found.draft, signal));
  await removed.catch(warn(parts, job.item, 'the draft of a sent email'));
}

async function sendDraft(parts: WritingParts, job: Job, signal: AbortSignal): Promise<Attempt> {
  const { item, account, drafts, payload, rfcMessageId } = job;
  if (!account.sending) return refusal('The account has no server for sending.');
  if (drafts.length === 0) return refusal('The draft is no longer in its folder.');
  const found = await submittedDraft(job);
  if (!found) return refusal('The draft was changed after it had been submitted. Send it again.');
  const { draft, raw } = found;
  const date = `Date: ${new Date(parts.clock.now()).toUTCString().replace('GMT', '+0000')}`;
  const id = payload.rfc_message_id === undefined ? { 'Message-ID': `Message-ID: <${rfcMessageId}>` } : {};
  const copy = withFields(raw, { Date: date, ...id });
  const outgoing = {
    from: account.from.address,
    recipients: item.recipients.map(({ id }) => id),
    content: withoutOwnFields(copy),
    signal,
  };
  const outcome = await deliver(parts, account.sending, outgoing);
  if (outcome.kind !== 'sent') {
    const { kind, reason, cause } = outcome;
    parts.log.warn({ err: cause, reason, account: account.id, outbox: item.id }, `an email has the outcome ${kind}`);
    return kind === 'unknown' ? { kind, reason } : { kind, reason, retry: outcome.retry };
  }
  const hasCopy = await finish(parts, job, draft, copy, signal);
  return { ...sent(job), ...reasonOf(outcome.refused, hasCopy) };
}

/** A token that is refused may have been revoked before its time: the next one is tried once. */
async function deliver(
  parts: WritingParts,
  sending: NonNullable<WritingAccount['sending']>,
  outgoing: Parameters<Awaited<ReturnType<WritingParts['connector']>>['send']>[2],
): Promise<MailSendOutcome> {
  const connector = await parts.connector();
  const { server, credentials } = await sending.open();
  const outcome = await connector.send(server, credentials, outgoing);
  if (outcome.kind !== 'not-sent' || !outcome.isSignInRefused) return outcome;
  await sending.refused(credentials);
  if (!('accessToken' in credentials)) return outcome;
  const again = await sending.open();
  return connector.send(again.server, again.credentials, outgoing);
}

/** The email is sent, whatever fails here. Returns whether it is kept among the sent ones: if not, the draft remains. */
async function finish(
  parts: WritingParts,
  job: Job,
  draft: DraftPlace,
  copy: Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  const { item } = job;
  const isCopied = await saveCopy(parts, job, copy, signal);
  await markAnswered(parts, job, copy).catch(warn(parts, item, 'the mark of an answered email'));
  if (isCopied) await removeDraft(parts, draft, signal).catch(warn(parts, item, 'the draft of a sent email'));
  return isCopied;
}

async function saveCopy(parts: WritingParts, job: Job, copy: Uint8Array, signal: AbortSignal): Promise<boolean> {
  const { item, account, live } = job;
  const failed = warn(parts, item, 'the copy of a sent email');
  if (account.sending?.savesCopies) {
    await live.syncNow().catch(failed);
    return true;
  }
  const saving = saveRaw(parts, account, copy, 'sent', ['\\Seen'], signal);
  return saving.then(
    () => true,
    (error: unknown) => {
      failed(error);
      return false;
    },
  );
}

/** As mail programs show it. */
async function markAnswered(parts: WritingParts, { account, live }: Job, copy: Uint8Array): Promise<void> {
  const [, id] = /<([^<>\s]+)>/.exec(fieldOf(copy, 'In-Reply-To') ?? '') ?? [];
  const answered = id === undefined ? [] : await parts.mail.byRfcId(account.id, id);
  if (answered.length === 0) return;
  await changeFlags({ ...parts, session: live.session, account: account.id }, answered, { add: ['\\Answered'] });
}

/** Whether this email, or another one with its Message-ID, is among the sent ones. */
async function sentCopy(job: Job, parts: WritingParts): Promise<'same' | 'other' | undefined> {
  const { path, uids } = await uidsIn(job, parts, 'sent');
  const uid = uids.at(-1);
  if (uid === undefined || path === undefined) return undefined;
  // A copy that the server made may be encoded differently.
  if (job.account.sending?.savesCopies) return 'same';
  const raw = await job.live.session.source(path, uid, MAX_RAW_BYTES);
  const copy = job.payload.rfc_message_id === undefined ? withFields(raw, { 'Message-ID': undefined }) : raw;
  return digestOf(copy) === job.payload.digest ? 'same' : 'other';
}

async function uidsIn(
  { account, live: { session }, rfcMessageId }: Job,
  { mail }: WritingParts,
  role: FolderRole,
): Promise<{ path?: string; uids: readonly number[] }> {
  const folder = (await mail.folders(account.id)).find((each) => each.role === role);
  return folder ? { path: folder.path, uids: await session.withMessageId(folder.path, rfcMessageId) } : { uids: [] };
}

/** The last ones are enough: a second item of the same draft follows soon, if ever. */
function createSentEmails() {
  const digests = new Map<string, string>();
  const keyOf = ({ account, rfcMessageId }: Job) => `${account.id} ${rfcMessageId}`;
  return {
    find(job: Job): 'same' | 'other' | undefined {
      const digest = digests.get(keyOf(job));
      if (digest === undefined) return undefined;
      return digest === job.payload.digest ? 'same' : 'other';
    },
    add(job: Job): void {
      digests.set(keyOf(job), job.payload.digest);
      const [oldest] = digests.keys();
      if (digests.size > MAX_SENT && oldest !== undefined) digests.delete(oldest);
    },
  };
}

function isAwaited({ createdAt, approvedBy }: OutboxItem, { clock }: WritingParts): boolean {
  return approvedBy === undefined && clock.now() - createdAt < AWAITED_MS;
}

function sent({ rfcMessageId }: Job): Attempt {
  return { kind: 'sent', externalId: rfcMessageId };
}

function reasonOf(refused: readonly { address: string; reason: string }[], hasCopy: boolean): { reason?: string } {
  const named = refused.map(({ address, reason }) => `${address}: ${reason}`).join(' ');
  const reasons = [...(refused.length > 0 ? [`Not accepted for ${named}`] : []), ...(hasCopy ? [] : [NO_COPY])];
  return reasons.length === 0 ? {} : { reason: reasons.join(' ') };
}

const NO_COPY = 'The copy could not be saved among the sent emails: the draft is kept instead.';

function refusal(reason: string): Attempt {
  return { kind: 'not-sent', reason, retry: false };
}

function failureOf(error: unknown, { log }: WritingParts, item: OutboxItem): { reason: string; retry: boolean } {
  log.warn({ err: error, account: item.through, outbox: item.id }, 'an email could not be sent');
  if (error instanceof MailError) return { reason: error.message, retry: error.kind === 'lost' };
  if (error instanceof AppError) {
    const { message, hint } = error;
    return { reason: hint === undefined ? message : `${message} ${hint}`, retry: error.code === 'SERVICE_UNAVAILABLE' };
  }
  return { reason: 'Something went wrong inside Switchboard before this was sent.', retry: false };
}

function warn({ log }: WritingParts, { id, through }: OutboxItem, what: string): (err: unknown) => void {
  return (err) => log.warn({ err, account: through, outbox: id }, `${what} could not be saved or deleted`);
}
