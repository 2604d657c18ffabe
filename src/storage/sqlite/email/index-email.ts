import type { Attachment } from '../../../domain/chat.ts';
import type { EmailAttachment, ParsedEmail } from '../../../domain/email.ts';
import type { IndexedEmail } from '../../../email/ports.ts';
import { tokenizeMessage } from '../chat/index-row.ts';

/** The words of an email, for threads that fetch: storing is then left to the one thread that writes. */
export function indexEmail({ subject, from, to, cc, text, attachments }: ParsedEmail): IndexedEmail {
  return tokenizeMessage(text.toWellFormed(), {
    attachments: attachments.map(toAttachment),
    mail: { subject, from, to, cc },
  });
}

/** An attachment as every message has it. */
export function toAttachment({ type, name, mime, size }: EmailAttachment): Attachment {
  return { type, mime, ...(name === undefined ? {} : { name }), ...(size === undefined ? {} : { size }) };
}
