import { hash } from 'node:crypto';
import type { FetchedMail } from '../../connectors/mail-connector.ts';
import type { FolderRole } from '../../domain/email.ts';
import type { MailToStore } from '../ports.ts';
import { isOwnAddress } from './own-address.ts';

/** Clocks differ. */
const LEEWAY_MS = 10 * 60_000;
/** Folders into which only the user writes. */
const OWN_FOLDERS: ReadonlySet<FolderRole | undefined> = new Set(['sent', 'drafts']);

/** Another thread may have determined the identity before. */
export function toStore(
  mail: FetchedMail & Partial<Pick<MailToStore, 'identity'>>,
  role: FolderRole | undefined,
  own: readonly string[],
): MailToStore {
  return { ...mail, identity: mail.identity ?? identityOf(mail), at: timestampOf(mail), isOwn: isOwn(mail, role, own) };
}

/**
 * An email is the same one if all that a reader is shown of it is: its copies in several folders differ only in headers that
 * servers add. Its Message-ID alone would let a sender hide another's email behind one with the same id. The parsed text and
 * files do not count, because they depend on how much was fetched; the hash of the content does not.
 */
export function identityOf({ email, contentHash, size, receivedAt }: FetchedMail): string {
  const { rfcMessageId, date, from, replyTo, to, cc, bcc, subject } = email;
  // Without an id and a date, only the copies that the server made at the same time are the same.
  const named = rfcMessageId ?? `${date ?? receivedAt} ${size}`;
  const shown = [named, date ?? null, from, replyTo, to, cc, bcc, subject, contentHash];
  return hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 32);
}

/** The sender's date, unless it is in the future: then it would stay the newest for ever. */
function timestampOf({ email: { date }, receivedAt }: FetchedMail): number {
  return date === undefined || date > receivedAt + LEEWAY_MS ? receivedAt : date;
}

/** Anybody can send an email in the user's name; only the user puts one among the sent ones. */
function isOwn({ email }: FetchedMail, role: FolderRole | undefined, own: readonly string[]): boolean {
  return OWN_FOLDERS.has(role) && email.from.every(({ address }) => isOwnAddress(own, address));
}
