import { z } from 'zod';
import type { Services } from '../../capability.ts';
import type { MailSession } from '../../connectors/mail-connector.ts';
import { AppError } from '../../domain/errors.ts';
import type { OperationContext } from '../../operation.ts';
import type { LiveSessions } from '../mailbox/live-sessions.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';
import type { MailStore, StoredEmail } from '../ports.ts';

export type ReadableMessages = ReturnType<Services['chat']['readableBy']>['messages'];
export type EmailMessage = NonNullable<Awaited<ReturnType<ReadableMessages['byId']>>>;

/** An email with its message. */
export interface FoundEmail {
  message: EmailMessage;
  email: StoredEmail;
}

export interface LookupParts {
  mail: MailStore;
  /** Limited to what the caller may read. */
  messages: ReadableMessages;
}

export interface ChangingParts extends LookupParts {
  sessions: Pick<LiveSessions, 'of'>;
}

/** More are changed in several calls. */
export const MAX_IDS = 500;

const MessageId = z.string().min(1).max(64);

/** One id, or many. */
export const MessageIds = z
  .union([MessageId, z.array(MessageId).min(1).max(MAX_IDS)])
  .describe('Id of an email, or several.');

export async function findEmail(parts: LookupParts, id: string): Promise<FoundEmail> {
  const [found] = (await findEmails(parts, id, 'message_id')).found;
  if (found) return found;
  throw notFound('message_id');
}

/** Those that exist, in their order, and the ids of the others. Throws MESSAGE_NOT_FOUND where there is none at all. */
export async function findEmails(
  { mail, messages }: LookupParts,
  ids: string | readonly string[],
  field = 'message_ids',
): Promise<{ found: FoundEmail[]; missing: string[] }> {
  const wanted = [...new Set(typeof ids === 'string' ? [ids] : ids)];
  const emails = new Map((await mail.byIds(wanted)).map((email) => [email.id, email]));
  const found: FoundEmail[] = [];
  const missing: string[] = [];
  for (const id of wanted) {
    const email = emails.get(id);
    const message = email && (await messages.byId(id));
    if (email && message) found.push({ email, message });
    else missing.push(id);
  }
  if (found.length === 0) throw notFound(field);
  return { found, missing };
}

function notFound(field: string): AppError {
  return new AppError('MESSAGE_NOT_FOUND', 'There is no such email.', {
    field,
    hint: '`search_emails` gives the ids of emails as message_id.',
  });
}

/** Changes emails account by account, on the server and then in the store. */
export async function changeByAccount(
  { sessions, mail, signal }: ChangingParts & Pick<OperationContext, 'signal'>,
  emails: readonly StoredEmail[],
  change: (
    parts: { mail: MailStore; session: MailSession; account: string },
    emails: readonly StoredEmail[],
  ) => Promise<void>,
): Promise<void> {
  for (const [account, own] of Map.groupBy(emails, (email) => email.account)) {
    const { session } = await sessions.of(account, signal);
    try {
      await change({ mail, session, account }, own);
    } catch (error) {
      throw mailFailure(error, account);
    }
  }
}
