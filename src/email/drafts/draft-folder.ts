import type { DraftContent, MailSession } from '../../connectors/mail-connector.ts';
import type { FolderRole } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import { isConfined } from '../../domain/grants.ts';
import type { OperationContext } from '../../operation.ts';
import { expungeEmails, folderFor } from '../mailbox/change-emails.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';
import type { StoredEmail, StoredFolder } from '../ports.ts';
import { toStore } from '../rules/identity.ts';
import type { LiveSession } from '../sync/account-connection.ts';
import type { MessageReader, WritingAccount, WritingParts } from './parts.ts';

/** A larger draft is not read. */
export const MAX_RAW_BYTES = 60 * 1024 * 1024;
const DRAFT_FLAGS = ['\\Draft', '\\Seen'];

/** Where a draft is on the server. */
export interface DraftPlace {
  email: StoredEmail;
  path: string;
  uid: number;
}

/** Puts a draft into the account's folder for drafts and into the store. Returns our id of it. */
export async function saveDraft(
  parts: WritingParts,
  account: WritingAccount,
  content: DraftContent,
  signal: AbortSignal,
): Promise<string> {
  return saveDraftRaw(parts, account, await (await parts.connector()).build(content), signal);
}

/** The same for a draft that is built already. */
export async function saveDraftRaw(
  parts: WritingParts,
  account: WritingAccount,
  raw: Uint8Array,
  signal: AbortSignal,
): Promise<string> {
  return saveRaw(parts, account, raw, 'drafts', DRAFT_FLAGS, signal).catch((error: unknown) => {
    throw mailFailure(error, account.id);
  });
}

/** Appends an email to a folder and stores it. Returns our id of it. */
export async function saveRaw(
  parts: WritingParts,
  account: WritingAccount,
  raw: Uint8Array,
  role: FolderRole,
  flags: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const [live, connector] = await Promise.all([parts.sessions.of(account.id, signal), parts.connector()]);
  const folder = await readFolder(parts, account, live, role);
  const email = connector.parse(raw);
  const told = await live.session.append(folder.path, raw, flags);
  const uid = told ?? (await uidOf(live.session, folder, email.rfcMessageId));
  if (uid === undefined) return found(parts, account, live, folder, email.rfcMessageId);
  const facts = { uid, flags, receivedAt: parts.clock.now(), size: raw.byteLength };
  const mails = [toStore({ ...facts, email, contentHash: connector.contentHash(raw) }, role, account.own)];
  const { ids } = await parts.mail.record({ account: account.id, folder: folder.key, mails, origin: 'live' });
  return ids[0] ?? found(parts, account, live, folder, email.rfcMessageId);
}

/** The folder, once it was looked at: before that, what is put into it would be one of its older emails, which come later. */
async function readFolder(
  parts: WritingParts,
  account: WritingAccount,
  live: LiveSession,
  role: FolderRole,
): Promise<StoredFolder> {
  const find = () => folderFor({ ...parts, session: live.session, account: account.id }, role);
  const folder = await find();
  if (folder.uidValidity !== undefined) return folder;
  await live.syncNow();
  return find();
}

/** The draft with our id. Throws DRAFT_NOT_FOUND. */
export async function draftById({ mail }: Pick<WritingParts, 'mail'>, id: string): Promise<DraftPlace> {
  const [email] = /^\d{1,16}$/.test(id) ? await mail.byIds([id]) : [];
  const place = email && placeOf(email);
  if (place) return place;
  throw draftNotFound();
}

/** The same, if the caller is not confined to other conversations. */
export async function draftOfCaller(
  context: Pick<WritingParts, 'mail'> & Pick<OperationContext, 'principal'> & { messages: MessageReader },
  id: string,
): Promise<DraftPlace> {
  const draft = await draftById(context, id);
  if (isConfined(context.principal) && !(await context.messages.byId(id))) throw draftNotFound();
  return draft;
}

function draftNotFound(): AppError {
  return new AppError('DRAFT_NOT_FOUND', 'There is no draft with this id.', {
    field: 'draft_id',
    hint: 'A draft gets another id when it is changed, and has none once it was sent or deleted.',
  });
}

/** The drafts with this Message-ID: programs keep it when they save a draft again, and may leave the former one there. */
export async function draftsByRfcId(
  { mail }: Pick<WritingParts, 'mail'>,
  account: string,
  rfcMessageId: string,
): Promise<readonly DraftPlace[]> {
  const emails = await mail.byRfcId(account, rfcMessageId);
  return emails.map(placeOf).filter((place) => place !== undefined);
}

/** Deletes a draft for good, on the server and in the store. */
export async function removeDraft(
  parts: Pick<WritingParts, 'mail' | 'sessions'>,
  { email, path }: DraftPlace,
  signal: AbortSignal,
): Promise<void> {
  const { session } = await parts.sessions.of(email.account, signal);
  // Some servers show a draft in further folders, such as "all mail": it is only deleted from this one.
  const locations = email.locations.filter((location) => location.path === path);
  await expungeEmails({ mail: parts.mail, session, account: email.account }, [{ ...email, locations }]);
}

function placeOf(email: StoredEmail): DraftPlace | undefined {
  const place = email.locations.find(({ role }) => role === 'drafts');
  return place && { email, path: place.path, uid: place.uid };
}

async function uidOf(
  session: MailSession,
  { path }: StoredFolder,
  id: string | undefined,
): Promise<number | undefined> {
  return id === undefined ? undefined : (await session.withMessageId(path, id)).at(-1);
}

async function found(
  { mail }: WritingParts,
  account: WritingAccount,
  live: LiveSession,
  { key }: StoredFolder,
  rfcMessageId = '',
): Promise<string> {
  await live.syncNow();
  const emails = await mail.byRfcId(account.id, rfcMessageId);
  const email = emails.find(({ locations }) => locations.some(({ folder }) => folder === key));
  if (email) return email.id;
  throw new AppError('SERVICE_UNAVAILABLE', 'The server took the email but does not show it in its folder yet.', {
    hint: 'It will be found after the next synchronization.',
  });
}
