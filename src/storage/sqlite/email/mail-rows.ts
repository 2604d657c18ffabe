import type { EmailAttachment, EmailAuthentication, FolderRole, MailAddress } from '../../../domain/email.ts';
import type { EmailLocation, StoredEmail } from '../../../email/ports.ts';
import type { Reader } from '../database.ts';
import { parseFlags } from './flags.ts';

interface EmailRow {
  message: number;
  source: string;
  rfc_id: string | null;
  in_reply_to: string | null;
  refs: string;
  headers: string;
  attachments: string | null;
  flags: string;
  is_seen: number;
  is_flagged: number;
  size: number;
  received_at: number;
}

interface Headers {
  replyTo: readonly MailAddress[];
  bcc: readonly MailAddress[];
  authentication?: EmailAuthentication;
  isAutomatic: boolean;
  problems: readonly string[];
}

const EMAILS = `
  select e.*, f.flags, f.is_seen, f.is_flagged, o.id as source from json_each(?) as wanted
    cross join email_contents as e on e.message = wanted.value
    cross join emails as f on f.message = e.message
    cross join chat_sources as o on o.key = e.account
  order by wanted.key`;
const LOCATIONS = `
  select l.message, l.folder, l.uid, f.path, f.role from json_each(?) as wanted
    cross join email_locations as l on l.message = wanted.value
    cross join email_folders as f on f.key = l.folder`;

/** In the order of the ids. */
export function emailsOf(reader: Reader, ids: readonly number[]): StoredEmail[] {
  const wanted = JSON.stringify(ids);
  const locations = Map.groupBy(
    reader.all<Omit<EmailLocation, 'role'> & { message: number; role: FolderRole | null }>(LOCATIONS, wanted),
    ({ message }) => message,
  );
  return reader
    .all<EmailRow>(EMAILS, wanted)
    .map((row) => toEmail(row, (locations.get(row.message) ?? []).map(toLocation)));
}

function toLocation({
  folder,
  path,
  role,
  uid,
}: Omit<EmailLocation, 'role'> & { role: FolderRole | null }): EmailLocation {
  return { folder, path, uid, ...(role === null ? {} : { role }) };
}

function toEmail(row: EmailRow, locations: readonly EmailLocation[]): StoredEmail {
  const headers = JSON.parse(row.headers) as Headers;
  return {
    id: String(row.message),
    account: row.source,
    ...(row.rfc_id === null ? {} : { rfcMessageId: row.rfc_id }),
    ...(row.in_reply_to === null ? {} : { inReplyTo: row.in_reply_to }),
    references: row.refs === '' ? [] : row.refs.split(' '),
    ...headers,
    flags: parseFlags(row.flags),
    isSeen: row.is_seen === 1,
    isFlagged: row.is_flagged === 1,
    attachments: row.attachments === null ? [] : (JSON.parse(row.attachments) as EmailAttachment[]),
    size: row.size,
    receivedAt: row.received_at,
    locations,
  };
}
