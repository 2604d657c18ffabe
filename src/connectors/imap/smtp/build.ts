import { createHash } from 'node:crypto';
import { isMessageId } from '../../../domain/mail-address.ts';
import { type DraftContent, MailError } from '../../mail-connector.ts';
import { addressField, dateField, idsField, textField } from './header-fields.ts';
import { attachmentPart, multipart, type Part, textPart } from './mime-parts.ts';

/** Builds an email in the format of RFC 5322. Throws MailError if an address or its own id is not valid. */
export function buildEmail(draft: DraftContent): Uint8Array {
  const { header, content } = body(draft);
  return Buffer.from([...headerOf(draft), 'MIME-Version: 1.0', ...header, '', content].join('\r\n'));
}

function headerOf(draft: DraftContent): string[] {
  const { rfcMessageId, inReplyTo, references } = draft;
  if (!isMessageId(rfcMessageId)) throw new MailError('refused', 'The Message-ID of this email is not valid.');
  const fields = [
    dateField('Date', draft.date),
    addressField('From', [draft.from]),
    ...(['to', 'cc', 'bcc'] as const).map((name) =>
      draft[name].length === 0 ? undefined : addressField(`${name[0]?.toUpperCase()}${name.slice(1)}`, draft[name]),
    ),
    textField('Subject', draft.subject),
    idsField('Message-ID', [rfcMessageId]),
    inReplyTo === undefined ? undefined : idsField('In-Reply-To', [inReplyTo]),
    idsField('References', references),
  ];
  return fields.filter((field) => field !== undefined);
}

function body({ rfcMessageId, text, html, attachments }: DraftContent): Part {
  const boundary = (use: string, parts: readonly Part[]) => {
    const hash = createHash('sha256').update(`${use} ${rfcMessageId}`);
    // Names all files, so that a draft of which another file was changed differs in its beginning already.
    for (const { header, content } of parts) hash.update(JSON.stringify(header)).update(content);
    return hash.digest('hex').slice(0, 32);
  };
  const plain = textPart('plain', text);
  const readable =
    html === undefined ? plain : multipart('alternative', boundary('text', []), [plain, textPart('html', html)]);
  if (attachments.length === 0) return readable;
  const files = attachments.map(attachmentPart);
  return multipart('mixed', boundary('files', files), [readable, ...files]);
}
