import type { MailAddress, ParsedEmail } from '../../domain/email.ts';
import { isMailAddress } from '../../domain/mail-address.ts';
import { bareSubject } from '../../lib/mail-subject.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { createOwnership, distinct } from './address.ts';
import { type QuotedEmail, quotedHtml, quotedText } from './quote.ts';
import type { Recipients } from './recipients.ts';

/** The email that is answered or forwarded. */
export type OriginalEmail = Pick<
  ParsedEmail,
  'rfcMessageId' | 'inReplyTo' | 'references' | 'subject' | 'from' | 'replyTo' | 'to' | 'cc' | 'isAutomatic'
> &
  QuotedEmail;

export interface ReplyOptions {
  /** To all recipients of the original, too. */
  all: boolean;
  /** Addresses and aliases of the account. */
  own: Iterable<string>;
}

/** Where an answer goes and what it belongs to. */
export interface ReplyHeader extends Recipients {
  subject: string;
  inReplyTo?: string;
  references: readonly string[];
  warnings: readonly string[];
}

/** The first id is the beginning of the conversation, the last ones are the nearest: those between may be missing. */
const MAX_REFERENCES = 50;

export function replyHeader(original: OriginalEmail, { all, own }: ReplyOptions): ReplyHeader {
  const { rfcMessageId } = original;
  const recipients = recipientsOf(reachable(original), all, createOwnership(own));
  return {
    ...recipients,
    bcc: [],
    subject: `Re: ${bareSubject(original.subject)}`.trim(),
    ...(rfcMessageId === undefined ? {} : { inReplyTo: rfcMessageId }),
    references: referencesTo(original),
    warnings: recipients.to.length === 0 ? [NOBODY] : all ? leftOut([...original.to, ...original.cc]) : [],
  };
}

const NOBODY = 'The email names no address that can be answered: give the draft recipients.';
/** More are only counted. */
const MAX_NAMED = 5;

/** Headers may contain what is no address, such as `Undisclosed recipients`. */
function reachable(original: OriginalEmail): OriginalEmail {
  const usable = (list: readonly MailAddress[]) => list.filter(({ address }) => isMailAddress(address));
  const { from, replyTo, to, cc } = original;
  return { ...original, from: usable(from), replyTo: usable(replyTo), to: usable(to), cc: usable(cc) };
}

function leftOut(recipients: readonly MailAddress[]): string[] {
  const wrong = recipients
    .filter(({ address }) => !isMailAddress(address))
    .map(({ name, address }) => address || name)
    .filter((each) => each !== '');
  if (wrong.length === 0) return [];
  const named = wrong.slice(0, MAX_NAMED).map(quotedName);
  const others = wrong.length > named.length ? ` and ${wrong.length - named.length} more` : '';
  return [`Recipients of the email without a valid address are left out: ${named.join(', ')}${others}.`];
}

/** The chain of the conversation up to this email. */
export function referencesTo({ rfcMessageId, inReplyTo, references }: OriginalEmail): readonly string[] {
  const before = references.length === 0 && inReplyTo !== undefined ? [inReplyTo] : references;
  const chain = [...new Set([...before, ...(rfcMessageId === undefined ? [] : [rfcMessageId])])];
  return chain.length > MAX_REFERENCES ? [...chain.slice(0, 1), ...chain.slice(1 - MAX_REFERENCES)] : chain;
}

/** The text of an answer in both forms; `html` is the writer's text. */
export function withQuote(
  { text, html }: { text: string; html?: string | undefined },
  original: QuotedEmail,
): { text: string; html?: string } {
  return {
    text: `${text.trimEnd()}\n\n${quotedText(original)}`,
    ...(html === undefined ? {} : { html: `${html}${quotedHtml(original)}` }),
  };
}

function recipientsOf(
  original: OriginalEmail,
  all: boolean,
  isOwn: (address: string) => boolean,
): Pick<Recipients, 'to' | 'cc'> {
  const { from, to, cc } = original;
  const others = (list: readonly MailAddress[]) => list.filter(({ address }) => !isOwn(address));
  const isOwnEmail = from.length > 0 && from.every(({ address }) => isOwn(address));
  // An answer to one's own email goes on with those it was written to.
  const answered = isOwnEmail ? to : senderOf(original, all);
  const target = distinct(others(all ? [...answered, ...to] : answered));
  const copies = all ? distinct(others(cc), target) : [];
  if (target.length > 0) return { to: target, cc: copies };
  return copies.length > 0 ? { to: copies, cc: [] } : { to: distinct(answered.length > 0 ? answered : from), cc: [] };
}

/** Many mailing lists set Reply-To to their own address, which is in To or Cc as well: an answer to one does not go to all. */
function senderOf({ from, replyTo, to, cc, isAutomatic }: OriginalEmail, all: boolean): readonly MailAddress[] {
  if (replyTo.length === 0) return from;
  const isList = isAutomatic && from.length > 0 && distinct(replyTo, [...to, ...cc]).length === 0;
  return isList && !all ? from : replyTo;
}
