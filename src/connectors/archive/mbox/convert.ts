import type { Attachment, InboundMessage, Sender } from '../../../domain/chat.ts';
import { fileTypeOf } from '../../../domain/file-type.ts';
import { htmlToText } from '../../../lib/html-text.ts';
import { mailDate } from '../../../lib/mail-date.ts';
import { mailIdsIn } from '../../../lib/mail-ids.ts';
import { bareSubject } from '../../../lib/mail-subject.ts';
import { toAttachment } from '../attachment.ts';
import type { SkipReason } from '../importer.ts';
import type { createMessageIds } from '../message-ids.ts';
import type { Email } from './parse.ts';
import { sizeOf } from './slim.ts';
import type { RawLetter } from './split.ts';
import type { createThreads } from './threads.ts';

export interface MboxContext {
  threadOf: ReturnType<typeof createThreads>;
  idOf: ReturnType<typeof createMessageIds>;
  me?: string;
}

/** Maximum length of a text. */
const MAX_TEXT = 1_000_000;
const MAX_LINE = 500;
const MAX_ATTACHMENTS = 100;

/** Converts an email to a message of its conversation. */
export function toMessage(email: Email, raw: RawLetter, around: MboxContext): InboundMessage | SkipReason {
  const at = mailDate(headerOf(email, 'date') ?? '') ?? mailDate(raw.envelope);
  if (at === undefined) return 'no_time';
  const sender = senderOf(email, raw.envelope);
  const subject = oneLine(email.subject ?? '');
  const bare = bareSubject(subject);
  const body = bodyOf(email);
  const attachments = attachmentsOf(email, raw.isCut);
  // A reply repeats the subject, which is the name of the conversation.
  const text = [bare === subject ? subject : '', body].filter((part) => part !== '').join('\n\n');
  const id = mailIdsIn(email.messageId)[0] ?? around.idOf({ chat: 'mbox', time: String(at), sender: sender.id, text });
  const references = mailIdsIn(email.references);
  const answers = mailIdsIn(email.inReplyTo)[0] ?? references.at(-1);
  const thread = around.threadOf({
    id,
    answers,
    references,
    subject: bare,
    isReply: bare !== subject,
    conversation: conversationOf(email),
  });
  return {
    chat: { id: thread.id, type: 'thread', ...(thread.isNew ? { name: bare || '(no subject)' } : {}) },
    id,
    sender,
    ...(isOwn(email, sender, around.me) ? { isOwn: true } : {}),
    text,
    contentType: body === '' ? (attachments[0]?.type ?? 'text') : 'text',
    at,
    ...(answers === undefined || answers === id ? {} : { replyTo: answers }),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

function senderOf(email: Email, envelope: string): Sender {
  const mailboxes = [email.from, email.sender].flatMap((each) => (each?.group ? each.group : each ? [each] : []));
  const { name, address } = mailboxes.find((each) => each.address || each.name) ?? { name: '', address: '' };
  const id = oneLine(address ?? '').toLowerCase() || oneLine(name) || (/^\S+@\S+/.exec(envelope)?.[0] ?? 'unknown');
  return { id, name: oneLine(name) || id };
}

/** Google Takeout writes labels into a header of each email. */
function isOwn(email: Email, sender: Sender, me: string | undefined): boolean {
  if (me !== undefined && [sender.id, sender.name.toLowerCase()].includes(me.toLowerCase())) return true;
  return (headerOf(email, 'x-gmail-labels') ?? '').split(',').includes('Sent');
}

function conversationOf(email: Email): string | undefined {
  const number = headerOf(email, 'x-gm-thrid')?.trim();
  return number !== undefined && /^\d{1,20}$/.test(number) ? `gmail:${number}` : undefined;
}

function bodyOf({ text = '', html = '' }: Email): string {
  const plain = text.replaceAll(/\r\n?/g, '\n').trim();
  const body = plain === '' ? htmlToText(html) : plain;
  return body.length > MAX_TEXT ? `${body.slice(0, MAX_TEXT).toWellFormed()}…` : body;
}

/** If the email is truncated, the size of its last part is unknown. */
function attachmentsOf({ attachments }: Email, isCut: boolean): Attachment[] {
  return attachments.slice(0, MAX_ATTACHMENTS).map(({ filename, mimeType, content }, index) => {
    const name = oneLine(filename ?? '') || undefined;
    const size = isCut && index === attachments.length - 1 ? undefined : sizeOf(content);
    return toAttachment(fileTypeOf(mimeType, name), { name, mime: oneLine(mimeType) || undefined, size });
  });
}

function headerOf({ headers }: Email, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

function oneLine(text: string): string {
  return text
    .slice(0, MAX_LINE)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
