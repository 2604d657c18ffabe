import type { Attachment } from '../../../domain/chat.ts';
import type { EmailAttachment, ParsedEmail } from '../../../domain/email.ts';
import type { IndexedEmail } from '../../../email/ports.ts';
import { createHashedSet } from '../chat/hashed-set.ts';
import { tokenizeMessage } from '../chat/index-row.ts';

const utf8 = new TextEncoder();
/** Slots for words that were met: four megabytes. */
const SLOTS = 1 << 19;

/**
 * Splits emails into words, for a thread that fetches them for another one: the thread that stores has more to do. Whoever stores
 * one of the emails must have stored all earlier ones.
 */
export function createEmailIndexer(): (email: ParsedEmail) => IndexedEmail {
  const met = createHashedSet(SLOTS);
  return ({ subject, from, to, cc, text, attachments }) => {
    const indexed = tokenizeMessage(text.toWellFormed(), {
      attachments: attachments.map(toAttachment),
      mail: { subject, from, to, cc },
    });
    const added = new Set(indexed.terms.filter((term) => !met.has(term)));
    const bytes = { ...indexed, words: utf8.encode(indexed.words) };
    met.findMissing(bytes.words, added);
    if (met.size + added.size > SLOTS / 2) return bytes;
    for (const term of added) met.add(term);
    return { ...bytes, newTerms: [...added] };
  };
}

/** An attachment as every message has it. */
export function toAttachment({ type, name, mime, size }: EmailAttachment): Attachment {
  return { type, mime, ...(name === undefined ? {} : { name }), ...(size === undefined ? {} : { size }) };
}
