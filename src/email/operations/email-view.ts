import { z } from 'zod';
import type { SearchAttempt } from '../../domain/search-query/attempts.ts';
import { shortName } from '../../lib/answer-size.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { snippet } from '../../lib/snippet.ts';
import { visible } from '../../lib/visible.ts';
import { shownAddress } from '../compose/address.ts';
import { foldQuotedHistory } from '../reading/fold-quoted-history.ts';
import type { FoundEmail } from './chosen-emails.ts';

/** An email in a list. */
export const EmailSummary = z.object({
  message_id: z.string(),
  account: z.string(),
  thread_id: z.string(),
  subject: z.string(),
  from: z.string(),
  to: z.array(z.string()),
  date: z.string(),
  is_unread: z.boolean(),
  is_flagged: z.boolean().optional(),
  folders: z.array(z.string()),
  attachments: z.int().optional(),
  snippet: z.string(),
  is_shortened: z.boolean().optional(),
});

/** Of headers that are longer, `is_shortened` says so; `read_email` gives all. */
const MAX_HEADER = 300;
const MAX_RECIPIENTS = 10;
const MAX_RECIPIENT = 200;

/** Of the beginning of the text, where it has no match. */
const SNIPPET_LENGTH = 200;

/** Around the first match of `marked` in the text, or the beginning of what its sender wrote. */
export function toSummary(
  { message, email }: FoundEmail,
  marked?: SearchAttempt['marked'],
): z.input<typeof EmailSummary> {
  const { subject = '', from = [], to = [] } = message.mail ?? {};
  const senders = from.map(shownAddress).join(', ');
  const recipients = to.map(shownAddress);
  const shown = {
    subject: shortName(subject, MAX_HEADER),
    from: shortName(senders, MAX_HEADER),
    to: recipients.slice(0, MAX_RECIPIENTS).map((each) => shortName(each, MAX_RECIPIENT)),
  };
  const isShortened =
    shown.subject !== subject ||
    shown.from !== senders ||
    recipients.some((recipient, index) => recipient !== shown.to[index]);
  const files = email.attachments.filter(({ isInline }) => !isInline).length;
  return {
    message_id: email.id,
    account: email.account,
    thread_id: message.chat.id,
    ...shown,
    date: new Date(message.at).toISOString(),
    is_unread: !email.isSeen,
    ...(email.isFlagged ? { is_flagged: true } : {}),
    folders: email.locations.map(({ path }) => path),
    ...(files === 0 ? {} : { attachments: files }),
    snippet: shownPart(message.text, marked),
    ...(isShortened ? { is_shortened: true } : {}),
  };
}

/** One line for models and terminals. */
export function summaryLine(email: z.output<typeof EmailSummary>): string {
  const marks = [email.is_unread ? 'unread' : '', email.is_flagged ? 'flagged' : '', filesOf(email)].filter(Boolean);
  const state = marks.length === 0 ? '' : ` [${marks.join(', ')}]`;
  return `${email.date} ${quotedName(email.from)} ${quotedName(email.subject || '(no subject)')}${state}: ${oneLine(email.snippet)} (message_id ${email.message_id})`;
}

/** The same for a model: also to whom it is, and where it is. */
export function wholeSummaryLine(email: z.output<typeof EmailSummary>): string {
  const { account, thread_id: thread, to, folders } = email;
  const recipients = to.length === 0 ? [] : [`to ${to.map(quotedName).join(', ')}`];
  const place = [
    ...recipients,
    `in ${folders.map(quotedName).join(', ')} of ${account}`,
    `thread_id ${visible(thread)}`,
  ];
  return `${summaryLine(email).slice(0, -1)}, ${place.join(', ')})`;
}

function filesOf({ attachments = 0 }: z.output<typeof EmailSummary>): string {
  return attachments === 0 ? '' : `${attachments} attachment${attachments === 1 ? '' : 's'}`;
}

function shownPart(text: string, marked: SearchAttempt['marked'] | undefined): string {
  const around = marked && snippet(text, marked);
  return around?.includes('**') ? around : beginningOf(foldQuotedHistory(text).text);
}

function beginningOf(text: string): string {
  const line = withSingleSpaces(text.slice(0, 2 * SNIPPET_LENGTH)).trim();
  return line.length > SNIPPET_LENGTH ? `${line.slice(0, SNIPPET_LENGTH).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

function oneLine(text: string): string {
  return visible(withSingleSpaces(text));
}

/** Most spaces are single ones, and stay as they are. */
function withSingleSpaces(text: string): string {
  return text.replaceAll(/[^\S ]\s*| \s+/g, ' ');
}
