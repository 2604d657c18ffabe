import type { EmailAttachment, MailAddress, ParsedEmail } from '../../domain/email.ts';
import { fileTypeOf } from '../../domain/file-type.ts';
import { mailDate } from '../../lib/mail-date.ts';
import { mailIdsIn } from '../../lib/mail-ids.ts';
import { MAX_ADDRESSES, parseAddresses } from './addresses.ts';
import { authenticationOf } from './authentication.ts';
import { bodyText } from './body-text.ts';
import { decodeWords } from './encoded-words.ts';
import { type HeaderField, readHeader, unfolded } from './header-fields.ts';
import { oneLine } from './one-line.ts';
import { parseParameters } from './parameters.ts';
import { charsetOf, fieldOf, PART_HEADERS } from './part.ts';
import { PROBLEMS, type Problem } from './problems.ts';
import { type Attached, readStructure } from './structure.ts';
import { decodedSize } from './transfer-encoding.ts';

const MAX_SUBJECT = 1_000;
const MAX_ATTACHMENTS = 500;
const HEADERS: ReadonlySet<string> = new Set([
  ...PART_HEADERS,
  ...['from', 'reply-to', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id', 'in-reply-to', 'references'],
  ...['authentication-results', 'received'],
  ...['auto-submitted', 'precedence', 'list-id', 'list-unsubscribe', 'x-autoreply', 'x-autorespond', 'feedback-id'],
]);

export interface ParseOptions {
  /** Bytes are missing at the end. */
  isTruncated?: boolean;
  /** Characters of its text that are read; default 1,000,000. */
  maxText?: number;
  /** Emails within the email are part of its text, as in the digest of a mailing list. */
  showsEmbedded?: boolean;
  /** Everything in the headers of recipients is one of them, also what has no address. */
  countsAllRecipients?: boolean;
  /** The size of an attachment, where its content was left out. */
  sizeOf?(encoded: Buffer): number | undefined;
}

/**
 * Reads an email (RFC 5322, MIME). Never throws; its time is linear in the length. The content of attachments is not
 * decoded.
 */
export function parseEmail(bytes: Uint8Array, options: ParseOptions = {}): ParsedEmail {
  const { isTruncated = false } = options;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const problems = new Set<Problem>();
  const report = (problem: Problem) => problems.add(problem);
  if (buffer.length === 0) report('empty');
  if (isTruncated) report('truncated');
  const header = readHeader(buffer, 0, buffer.length, HEADERS);
  if (header.isCut) report('longHeaders');
  const { body, attached } = readStructure(buffer, header, report, options);
  const text = bodyText(buffer, body, report, options);
  if (text.includes('-----BEGIN PGP MESSAGE-----')) report('encrypted');
  if (text === '' && attached.length === 0 && problems.size === 0 && hasContent(buffer, header.end)) report('noText');
  if (attached.length > MAX_ATTACHMENTS) report('tooManyAttachments');
  // What is missing at the end is no fault of the email.
  if (isTruncated) problems.delete('unended');
  const envelope = envelopeOf(header.fields, report, options);
  return {
    ...envelope,
    text,
    attachments: attached.slice(0, MAX_ATTACHMENTS).map((each) => toAttachment(buffer, each, options)),
    problems: problems.size === 0 ? [] : [...problems].map((problem) => PROBLEMS[problem]),
  };
}

/** A body of blanks is a text that nobody has written. */
function hasContent(buffer: Buffer, start: number): boolean {
  return /\S/.test(buffer.toString('latin1', start, start + 2_000));
}

function envelopeOf(
  fields: readonly HeaderField[],
  report: (problem: Problem) => void,
  { countsAllRecipients = false }: ParseOptions,
): Omit<ParsedEmail, 'text' | 'attachments' | 'problems'> {
  // Programs that write bytes into headers write those of the text below.
  const charset = charsetOf(parseParameters(fieldOf(fields, 'content-type') ?? ''));
  const addresses = (name: string, countsAll = false) => addressesOf(fields, name, charset, report, countsAll);
  const [rfcMessageId] = mailIdsIn(fieldOf(fields, 'message-id'));
  const [inReplyTo] = mailIdsIn(fieldOf(fields, 'in-reply-to'));
  const date = mailDate(fieldOf(fields, 'date') ?? '');
  const authentication = authenticationOf(fields);
  return {
    ...(rfcMessageId === undefined ? {} : { rfcMessageId }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    references: mailIdsIn(fieldOf(fields, 'references')),
    subject: oneLine(decodeWords(fieldOf(fields, 'subject') ?? '', charset, report), MAX_SUBJECT),
    from: addresses('from'),
    replyTo: addresses('reply-to'),
    to: addresses('to', countsAllRecipients),
    cc: addresses('cc', countsAllRecipients),
    bcc: addresses('bcc', countsAllRecipients),
    ...(date === undefined ? {} : { date }),
    ...(authentication === undefined ? {} : { authentication }),
    isAutomatic: fields.some(isAutomatic),
  };
}

const NO_ADDRESSES: readonly MailAddress[] = [];

/** Of all headers with this name: a second `From` is a trick, which a reader should see. */
function addressesOf(
  fields: readonly HeaderField[],
  wanted: string,
  charset: string,
  report: (problem: Problem) => void,
  countsAll: boolean,
): readonly MailAddress[] {
  let all = NO_ADDRESSES;
  for (const { name, value } of fields) {
    if (name !== wanted) continue;
    const limit = MAX_ADDRESSES - all.length;
    const { addresses, isCut } = parseAddresses(unfolded(value), limit, charset, report, countsAll);
    if (isCut) report('manyAddresses');
    all = all.length === 0 ? addresses : [...all, ...addresses];
    if (all.length >= MAX_ADDRESSES) break;
  }
  return all;
}

function isAutomatic({ name, value }: HeaderField): boolean {
  if (name === 'auto-submitted') return !/^\s*no\b/i.test(value);
  if (name === 'precedence') return /^\s*(?:bulk|list|junk|auto[_-]?reply)/i.test(value);
  return AUTOMATIC.has(name);
}

const AUTOMATIC = new Set(['list-id', 'list-unsubscribe', 'x-autoreply', 'x-autorespond', 'feedback-id']);

function toAttachment(
  buffer: Buffer,
  { part, name, isRelated }: Attached,
  { isTruncated, sizeOf }: ParseOptions,
): EmailAttachment {
  const content = buffer.subarray(part.start, part.end);
  const isWhole = !isTruncated || part.end < buffer.length;
  const isInline =
    part.disposition !== 'attachment' &&
    part.hasContentId &&
    (isRelated || (part.disposition === 'inline' && part.mime.startsWith('image/')));
  return {
    part: part.number,
    ...(name === undefined ? {} : { name }),
    mime: part.mime,
    type: fileTypeOf(part.mime, name),
    ...(isWhole ? { size: sizeOf?.(content) ?? decodedSize(content, part.encoding ?? 'none') } : {}),
    isInline,
  };
}
