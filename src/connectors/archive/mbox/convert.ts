import type { Attachment, InboundMessage, Sender } from '../../../domain/chat.ts';
import { mailDate } from '../../../lib/mail-date.ts';
import { bareSubject } from '../../../lib/mail-subject.ts';
import { toAttachment } from '../attachment.ts';
import type { SkipReason } from '../importer.ts';
import type { createMessageIds } from '../message-ids.ts';
import type { Letter } from './parse.ts';
import type { RawLetter } from './split.ts';
import type { createThreads } from './threads.ts';

export interface MboxContext {
  threadOf: ReturnType<typeof createThreads>;
  idOf: ReturnType<typeof createMessageIds>;
  me?: string;
}

const MAX_LINE = 500;
const MAX_ATTACHMENTS = 100;

/** Converts an email to a message of its conversation. */
export function toMessage(email: Letter, raw: RawLetter, around: MboxContext): InboundMessage | SkipReason {
  const at = email.date ?? mailDate(raw.envelope);
  if (at === undefined) return 'no_time';
  const sender = senderOf(email, raw.envelope);
  const subject = oneLine(email.subject);
  const bare = bareSubject(subject);
  const body = email.text;
  const attachments = attachmentsOf(email);
  // A reply repeats the subject, which is the name of the conversation.
  const text = [bare === subject ? subject : '', body].filter((part) => part !== '').join('\n\n');
  const id = email.rfcMessageId ?? around.idOf({ chat: 'mbox', time: String(at), sender: sender.id, text });
  const { references } = email;
  const answers = email.inReplyTo ?? references.at(-1);
  const thread = around.threadOf({
    id,
    answers,
    references,
    subject: bare,
    isReply: bare !== subject,
    conversation: email.conversation && `gmail:${email.conversation}`,
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

function senderOf({ from, sentBy }: Letter, envelope: string): Sender {
  const { name, address } = [...from, ...sentBy].find((each) => each.address || each.name) ?? { name: '', address: '' };
  const id = oneLine(address).toLowerCase() || oneLine(name) || (/^\S+@\S+/.exec(envelope)?.[0] ?? 'unknown');
  return { id, name: oneLine(name) || id };
}

/** Google Takeout writes labels into a header of each email. */
function isOwn({ labels }: Letter, sender: Sender, me: string | undefined): boolean {
  if (me !== undefined && [sender.id, sender.name.toLowerCase()].includes(me.toLowerCase())) return true;
  return labels.includes('Sent');
}

function attachmentsOf({ attachments }: Letter): Attachment[] {
  return attachments
    .slice(0, MAX_ATTACHMENTS)
    .map(({ type, name = '', mime, size }) =>
      toAttachment(type, { name: oneLine(name) || undefined, mime: oneLine(mime) || undefined, size }),
    );
}

function oneLine(text: string): string {
  return text
    .slice(0, MAX_LINE)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
