import type { EmailAttachment } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { OperationContext } from '../../operation.ts';
import type { LiveSessions } from '../mailbox/live-sessions.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';
import type { StoredEmail } from '../ports.ts';

export interface DownloadParts {
  sessions: Pick<LiveSessions, 'of'>;
}

/** The content of an attachment, from the server. */
export async function downloadAttachment(
  { sessions, signal }: DownloadParts & Pick<OperationContext, 'signal'>,
  { account, locations }: StoredEmail,
  { part, size = 0 }: EmailAttachment,
  maxBytes: number,
): Promise<Uint8Array> {
  if (size > maxBytes) throw tooLarge(size, maxBytes);
  const [location] = locations;
  if (!location)
    throw new AppError('MESSAGE_NOT_FOUND', 'The email is no longer on the server.', { field: 'message_id' });
  const { session } = await sessions.of(account, signal);
  try {
    return (await session.part(location.path, location.uid, part, maxBytes)).content;
  } catch (error) {
    throw mailFailure(error, account);
  }
}

export function attachmentAt({ attachments }: StoredEmail, part: string): EmailAttachment {
  const found = attachments.find((each) => each.part === part);
  if (found) return found;
  const parts = attachments.map((each) => each.part).join(', ');
  throw new AppError('NOT_FOUND', 'The email has no attachment with this part.', {
    field: 'part',
    hint: parts === '' ? 'It has no attachments.' : `It has: ${parts}.`,
  });
}

function tooLarge(size: number, maxBytes: number): AppError {
  return new AppError('TOO_LARGE', `The attachment has ${size} bytes; at most ${maxBytes} are possible.`, {
    field: 'part',
  });
}
