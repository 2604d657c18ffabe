import type { EmailAttachment } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { AttachmentToSend } from '../compose/attachments.ts';
import { checkSize, MAX_BYTES } from '../compose/attachments.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';
import type { StoredEmail } from '../ports.ts';
import type { WritingParts } from './parts.ts';

/** The files of an email, from the server. Pictures within its text are among them: the text is forwarded without them. */
export async function originalAttachments(
  { sessions }: Pick<WritingParts, 'sessions'>,
  { account, attachments, locations: [place] }: StoredEmail,
  others: readonly AttachmentToSend[],
  signal: AbortSignal,
): Promise<readonly AttachmentToSend[]> {
  const files = outerFiles(attachments);
  if (files.length === 0) return [];
  if (!place) {
    throw new AppError('MESSAGE_NOT_FOUND', 'The email is no longer on the server, so that its files cannot be sent.', {
      field: 'message_id',
      hint: 'Set include_attachments to false to forward its text.',
    });
  }
  const { session } = await sessions.of(account, signal);
  const read: AttachmentToSend[] = [];
  for (const file of files) {
    const { content } = await session.part(place.path, place.uid, file.part, MAX_BYTES).catch((error: unknown) => {
      throw mailFailure(error, account);
    });
    read.push({ name: file.name ?? nameOf(file), mime: file.mime, content });
    checkSize([...read, ...others]);
  }
  return read;
}

/** Without the files of an attached email, which are within it. */
export function outerFiles(attachments: readonly EmailAttachment[]): readonly EmailAttachment[] {
  return attachments.filter(({ part }) => !attachments.some((each) => isEmailAround(each, part)));
}

function isEmailAround({ part, mime }: EmailAttachment, inner: string): boolean {
  return mime.startsWith('message/') && inner.startsWith(`${part}.`);
}

function nameOf({ mime }: EmailAttachment): string {
  if (mime === 'message/rfc822') return 'email.eml';
  const [, format] = /^image\/([a-z\d]{1,8})$/.exec(mime) ?? [];
  return format === undefined ? 'attachment' : `image.${format}`;
}
