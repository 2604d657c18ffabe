import type { OperationContext, ResourceTemplate } from '../../operation.ts';
import { findEmail, type LookupParts } from '../operations/chosen-emails.ts';
import { attachmentAt, type DownloadParts, downloadAttachment } from './download.ts';

/** Answers have a size. */
const MAX_BYTES = 5 * 1024 * 1024;

export const attachmentResource: ResourceTemplate<LookupParts & DownloadParts> = {
  uriTemplate: 'email://{message_id}/attachments/{part}',
  name: 'attachment',
  title: 'Attachment of an email',
  description: 'The content of an attachment, as text or base64. message_id and part are those of read_email.',
  mimeType: 'application/octet-stream',
  right: 'read',
  async read(uri, { message_id: id = '', part = '' }, context: OperationContext & LookupParts & DownloadParts) {
    const { email } = await findEmail(context, id);
    const attachment = attachmentAt(email, part);
    const content = Buffer.from(await downloadAttachment(context, email, attachment, MAX_BYTES));
    const mimeType = attachment.mime;
    const text = mimeType.startsWith('text/') ? utf8Of(content) : undefined;
    if (text !== undefined) return { uri: uri.href, mimeType, text };
    return { uri: uri.href, mimeType, blob: content.toString('base64') };
  },
};

function utf8Of(content: Buffer): string | undefined {
  const text = content.toString('utf8');
  return text.includes('\ufffd') ? undefined : text;
}
