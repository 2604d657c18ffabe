import { z } from 'zod';
import type { Services } from '../../capability.ts';
import { AppError } from '../../domain/errors.ts';
import type { OperationContext } from '../../operation.ts';
import type { ChangeParts } from '../mailbox/change-emails.ts';
import type { LiveSessions } from '../mailbox/live-sessions.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';
import { presentEmails } from '../mailbox/present-emails.ts';
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

/**
 * Changes emails account by account, on the server and then in the store. Nothing is changed before all accounts are connected and
 * have what `prepare` looks for. Returns the ids of emails that are gone; throws MESSAGE_NOT_FOUND if all are.
 */
export async function changeByAccount(
  { sessions, mail, signal }: ChangingParts & Pick<OperationContext, 'signal'>,
  emails: readonly StoredEmail[],
  prepare: (parts: ChangeParts, emails: readonly StoredEmail[]) => Promise<() => Promise<void>>,
  field = 'message_ids',
): Promise<readonly string[]> {
  const changes: { account: string; change(): Promise<void> }[] = [];
  const gone = new Set(emails.map(({ id }) => id));
  for (const [account, own] of Map.groupBy(emails, (email) => email.account)) {
    const live = await sessions.of(account, signal);
    try {
      const present = await presentEmails(live, mail, own);
      for (const { id } of present) gone.delete(id);
      const change = await prepare({ mail, session: live.session, account }, present);
      changes.push({ account, change });
    } catch (error) {
      throw mailFailure(error, account);
    }
  }
  if (emails.length > 0 && gone.size === emails.length) throw notFound(field);
  let failure: unknown;
  for (const { account, change } of changes) {
    await change().catch((error: unknown) => {
      failure ??= mailFailure(error, account, hintOnOthers(emails));
    });
  }
  if (failure !== undefined) throw failure;
  return [...gone];
}

/** What became of the others where one change has failed. */
function hintOnOthers(emails: readonly StoredEmail[]): { hint?: string } {
  const isOne = emails.flatMap(({ locations }) => locations).length <= 1;
  return isOne ? {} : { hint: 'Other emails of this call may have been changed; a search shows how they are.' };
}
