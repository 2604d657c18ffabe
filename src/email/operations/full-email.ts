import { z } from 'zod';
import { formatBytes } from '../../lib/format-bytes.ts';
import { isForwarded } from '../../lib/mail-subject.ts';
import { visible } from '../../lib/visible.ts';
import type { Account } from '../accounts/account.ts';
import { ownAddresses } from '../accounts/addresses.ts';
import { shownAddress } from '../compose/address.ts';
import { fenced } from '../reading/fenced.ts';
import { foldQuotedHistory } from '../reading/fold-quoted-history.ts';
import { senderWarnings } from '../reading/sender-warnings.ts';
import { textPage } from '../reading/text-page.ts';
import type { FoundEmail } from './chosen-emails.ts';

const AttachmentView = z.object({
  part: z.string(),
  name: z.string().optional(),
  mime: z.string(),
  size: z.int().optional(),
  is_inline: z.boolean().optional(),
  uri: z.string(),
});

/** A whole email. */
export const EmailView = z.object({
  message_id: z.string(),
  account: z.string(),
  thread_id: z.string(),
  rfc_message_id: z.string().optional(),
  in_reply_to: z.string().optional(),
  references: z.array(z.string()).optional(),
  subject: z.string(),
  from: z.string(),
  reply_to: z.array(z.string()).optional(),
  to: z.array(z.string()),
  cc: z.array(z.string()).optional(),
  bcc: z.array(z.string()).optional(),
  date: z.string(),
  folders: z.array(z.string()),
  is_unread: z.boolean(),
  is_flagged: z.boolean().optional(),
  body: z.string(),
  /** Lines of earlier emails that are left out of the body. */
  folded_lines: z.int().optional(),
  next_offset: z.int().optional(),
  total_length: z.int().optional(),
  attachments: z.array(AttachmentView),
  authentication: z.object({ spf: z.string(), dkim: z.string(), dmarc: z.string() }).partial().optional(),
  warnings: z.array(z.string()).optional(),
});

export interface ReadingOptions {
  full: boolean;
  offset: number;
  limit: number;
}

export function toEmailView(
  { message, email }: FoundEmail,
  { full, offset, limit }: ReadingOptions,
  accounts: readonly Account[],
): z.input<typeof EmailView> {
  const { subject = '', from = [], to = [], cc = [] } = message.mail ?? {};
  const { replyTo, bcc, references, authentication } = email;
  const { text, folded, signature } = full
    ? { text: message.text, folded: 0, signature: 0 }
    : foldQuotedHistory(message.text, { isForward: isForwarded(subject) });
  const page = textPage(text, { offset, limit });
  const own = accounts.filter(({ id }) => id === email.account).flatMap(ownAddresses);
  const warnings = [
    ...(message.isOwn ? [] : senderWarnings({ from, replyTo, authentication, own })),
    ...email.problems,
  ];
  return {
    message_id: email.id,
    account: email.account,
    thread_id: message.chat.id,
    ...(email.rfcMessageId === undefined ? {} : { rfc_message_id: email.rfcMessageId }),
    ...(email.inReplyTo === undefined ? {} : { in_reply_to: email.inReplyTo }),
    ...(references.length === 0 ? {} : { references: [...references] }),
    subject,
    from: from.map(shownAddress).join(', '),
    ...(replyTo.length === 0 ? {} : { reply_to: replyTo.map(shownAddress) }),
    to: to.map(shownAddress),
    ...(cc.length === 0 ? {} : { cc: cc.map(shownAddress) }),
    ...(bcc.length === 0 ? {} : { bcc: bcc.map(shownAddress) }),
    date: new Date(message.at).toISOString(),
    folders: email.locations.map(({ path }) => path),
    is_unread: !email.isSeen,
    ...(email.isFlagged ? { is_flagged: true } : {}),
    body: page.text,
    ...(folded + signature === 0 ? {} : { folded_lines: folded + signature }),
    ...(page.next === undefined ? {} : { next_offset: page.next, total_length: page.total }),
    attachments: email.attachments.map(({ part, name, mime, size, isInline }) => ({
      part,
      ...(name === undefined ? {} : { name }),
      mime,
      ...(size === undefined ? {} : { size }),
      ...(isInline ? { is_inline: true } : {}),
      uri: `email://${email.id}/attachments/${part}`,
    })),
    ...(authentication && Object.keys(authentication).length > 0 ? { authentication } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

const HEADINGS = [
  'Message:',
  'From:',
  'Reply-To:',
  'To:',
  'Cc:',
  'Bcc:',
  'Subject:',
  'Date:',
  'Attachment:',
  'Warning:',
  'Note:',
];

/** For models and terminals: our headings, then the text between two lines that its author cannot write. */
export function renderEmail(email: z.output<typeof EmailView>): string {
  return [
    `Message: ${email.message_id} in ${email.folders.map(visible).join(', ') || 'no folder'} of ${email.account}, thread ${email.thread_id}${email.is_unread ? ', unread' : ''}`,
    `From: ${visible(email.from)}`,
    ...listed('Reply-To', email.reply_to),
    ...listed('To', email.to),
    ...listed('Cc', email.cc),
    ...listed('Bcc', email.bcc),
    `Subject: ${visible(email.subject)}`,
    `Date: ${email.date}`,
    ...email.attachments.map(
      ({ part, name, mime, size }) =>
        `Attachment: ${part} ${visible(name ?? '(no name)')} (${visible(mime)}${size === undefined ? '' : `, ${formatBytes(size)}`})`,
    ),
    ...(email.warnings ?? []).map((warning) => `Warning: ${visible(warning)}`),
    fenced(email.body, HEADINGS),
    ...notesOn(email),
  ].join('\n');
}

function listed(heading: string, addresses: readonly string[] = []): string[] {
  return addresses.length === 0 ? [] : [`${heading}: ${addresses.map(visible).join(', ')}`];
}

function notesOn({
  folded_lines: folded,
  next_offset: next,
  total_length: total,
}: z.output<typeof EmailView>): string[] {
  return [
    ...(next === undefined ? [] : [`Note: the text has ${total} characters; offset ${next} gives the next page.`]),
    ...(folded === undefined
      ? []
      : [`Note: ${folded} lines of earlier emails and signature are left out; full gives them.`]),
  ];
}
