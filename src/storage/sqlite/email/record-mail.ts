import type { InboundMessage } from '../../../domain/chat.ts';
import type { MailBatch, MailToStore } from '../../../email/ports.ts';
import type { Recording } from '../chat/insert-messages.ts';
import { type PreparedEvent, prepareEvent, prepareEvents } from '../chat/prepare-events.ts';
import { recordBatch } from '../chat/record-batch.ts';
import { sourceKey } from '../chat/source-directory.ts';
import type { Transaction } from '../database.ts';
import { flagColumns, formatFlags } from './flags.ts';
import { checkFolder, saveProgress } from './folders.ts';
import { toAttachment } from './index-email.ts';
import { addLocations } from './locations.ts';
import { type PreparedMail, placeInThreads } from './threads.ts';

/** Splits texts into words before the transaction begins, unless that is done already. */
export async function prepareMails({ account, mails }: MailBatch): Promise<PreparedMail[]> {
  const events = mails.map((mail) => ({ kind: 'message', message: toMessage(mail) }) as const);
  const prepared = mails.every(({ indexed }) => indexed)
    ? events.map((event, index) => prepareEvent(event, mails[index]?.indexed))
    : await prepareEvents({ source: account, events, origin: 'older' });
  return mails.map((mail, index) => ({ mail, prepared: prepared[index] as PreparedEvent }));
}

export interface RecordedMails {
  added: number;
  ids: readonly string[];
  onCommitted(): void;
}

/** Records a batch in one transaction: new messages, what only emails have, their locations, and how far the folder is stored. */
export function recordMails(
  tx: Transaction,
  { account, folder, origin, progress, expected }: Omit<MailBatch, 'mails'>,
  mails: readonly PreparedMail[],
  parts: Pick<Recording, 'ids' | 'vocabulary' | 'now'>,
): RecordedMails {
  if (expected) checkFolder(tx, folder, expected);
  const source = sourceKey(tx, account);
  const known = knownMessages(tx, source, mails);
  const fresh = uniqueByIdentity(mails.filter(({ mail }) => !known.has(mail.identity)));
  const placed = placeInThreads(tx, source, fresh);
  const areAllNew = placed.length === mails.length;
  const { inserted, onCommitted } = recordBatch(
    tx,
    { source: account, origin },
    placed.map(({ prepared }) => prepared),
    parts,
  );
  for (const { mail, prepared } of placed) {
    const id = inserted.get(prepared.event);
    if (id === undefined) throw new Error('an email is stored as a message without its own row');
    insertEmail(tx, source, id, mail);
    known.set(mail.identity, id);
  }
  const ids = mails.map(({ mail }) => known.get(mail.identity) as number);
  addLocations(
    tx,
    folder,
    mails.map(({ mail }, index) => ({ uid: mail.uid, message: ids[index] as number })),
  );
  if (!areAllNew) for (const [index, { mail }] of mails.entries()) updateEmail(tx, ids[index] as number, mail);
  if (progress) saveProgress(tx, folder, progress);
  return { added: placed.length, ids: ids.map(String), onCommitted };
}

/** The id of the chat is set when the conversation is known. */
function toMessage({ email, identity, at, isOwn }: MailToStore): InboundMessage {
  const { subject, from, to, cc, text, attachments } = email;
  const [first] = from;
  const address = first?.address || 'unknown';
  return {
    chat: { id: '' },
    id: identity,
    sender: { id: address, name: first?.name || address },
    ...(isOwn ? { isOwn } : {}),
    text,
    contentType: text === '' ? (attachments[0]?.type ?? 'text') : 'text',
    at,
    ...(attachments.length > 0 ? { attachments: attachments.map(toAttachment) } : {}),
    mail: { subject, from, to, cc },
  };
}

function knownMessages(tx: Transaction, source: number, mails: readonly PreparedMail[]): Map<string, number> {
  const rows = tx.all<{ identity: string; message: number }>(
    `select e.identity, e.message from json_each(?) as wanted
       cross join email_contents as e on e.account = ? and e.identity = wanted.value`,
    JSON.stringify(mails.map(({ mail }) => mail.identity)),
    source,
  );
  return new Map(rows.map(({ identity, message }) => [identity, message]));
}

function uniqueByIdentity(mails: readonly PreparedMail[]): PreparedMail[] {
  return [...new Map(mails.map((each) => [each.mail.identity, each])).values()];
}

function insertEmail(tx: Transaction, account: number, message: number, mail: MailToStore): void {
  const { email, flags, identity, emailId, size, receivedAt } = mail;
  const { replyTo, bcc, authentication, isAutomatic, problems, attachments } = email;
  const { isSeen, isFlagged } = flagColumns(flags);
  tx.run(
    `insert into email_contents (message, account, identity, server_id, rfc_id, in_reply_to, refs, headers, attachments,
       size, received_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    message,
    account,
    identity,
    emailId ?? null,
    email.rfcMessageId ?? null,
    email.inReplyTo ?? null,
    email.references.join(' '),
    JSON.stringify({ replyTo, bcc, authentication, isAutomatic, problems }),
    attachments.length === 0 ? null : JSON.stringify(attachments),
    size,
    receivedAt,
  );
  tx.run(
    'insert into emails (message, account, flags, is_seen, is_flagged, is_discarded) values (?, ?, ?, ?, ?, 0)',
    message,
    account,
    formatFlags(flags),
    isSeen,
    isFlagged,
  );
}

/** The flags of the copy that was seen last count; one that the user wrote is the user's in every folder. */
function updateEmail(tx: Transaction, message: number, { flags, isOwn }: MailToStore): void {
  const { isSeen, isFlagged } = flagColumns(flags);
  const text = formatFlags(flags);
  tx.run(
    'update emails set flags = ?, is_seen = ?, is_flagged = ? where message = ? and flags <> ?',
    text,
    isSeen,
    isFlagged,
    message,
    text,
  );
  if (isOwn) tx.run('update messages set own = 1 where id = ? and own = 0', message);
}
