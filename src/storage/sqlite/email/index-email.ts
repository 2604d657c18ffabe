import type { Attachment } from '../../../domain/chat.ts';
import type { EmailAttachment, ParsedEmail } from '../../../domain/email.ts';
import type { IndexedText } from '../../../domain/indexed-text.ts';
import { createTextSplitter } from '../chat/split-texts.ts';

/** Splits emails into words, for a thread that fetches them for another one. */
export function createEmailIndexer(): (email: ParsedEmail) => IndexedText {
  const split = createTextSplitter();
  return ({ subject, from, to, cc, text, attachments }) =>
    split(text.toWellFormed(), { attachments: attachments.map(toAttachment), mail: { subject, from, to, cc } });
}

/** An attachment as every message has it. */
export function toAttachment({ type, name, mime, size }: EmailAttachment): Attachment {
  return { type, mime, ...(name === undefined ? {} : { name }), ...(size === undefined ? {} : { size }) };
}
