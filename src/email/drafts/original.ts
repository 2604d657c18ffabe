import { isTextCut } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { OriginalEmail } from '../compose/reply.ts';
import type { StoredEmail } from '../ports.ts';
import type { MailMessage, MessageReader, WritingAccount, WritingParts } from './parts.ts';

/** An email that a caller answers or forwards. */
export interface Answered {
  account: WritingAccount;
  message: MailMessage;
  stored: StoredEmail;
  original: OriginalEmail;
}

/** The email with our id, if the caller may read it. Throws MESSAGE_NOT_FOUND. */
export async function answeredEmail(
  { writingAccounts, mail, messages }: WritingParts & { messages: MessageReader },
  id: string,
): Promise<Answered> {
  const isId = /^\d{1,16}$/.test(id);
  const [message, [stored]] = isId ? await Promise.all([messages.byId(id), mail.byIds([id])]) : [undefined, []];
  if (!message?.mail || !stored) {
    throw new AppError('MESSAGE_NOT_FOUND', 'There is no email with this id.', { field: 'message_id' });
  }
  const account = await writingAccounts.byId(stored.account);
  if (!account) {
    throw new AppError('ACCOUNT_NOT_FOUND', `The account '${stored.account}' of this email does not exist any more.`, {
      field: 'message_id',
    });
  }
  return { account, message, stored, original: toOriginal(message, stored) };
}

function toOriginal({ mail, text, at }: MailMessage, stored: StoredEmail): OriginalEmail {
  const { rfcMessageId, inReplyTo, references, replyTo, isAutomatic } = stored;
  return {
    ...(rfcMessageId === undefined ? {} : { rfcMessageId }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    references,
    replyTo,
    isAutomatic,
    subject: mail?.subject ?? '',
    from: mail?.from ?? [],
    to: mail?.to ?? [],
    cc: mail?.cc ?? [],
    text,
    isCut: isTextCut(stored),
    at,
  };
}
