import type { MailSession } from '../../connectors/mail-connector.ts';
import { type EmailAttachment, isTextCut, type ParsedEmail } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import { type AttachmentToSend, checkSize, MAX_BYTES } from '../compose/attachments.ts';
import type { DraftPlace } from './draft-folder.ts';
import { outerFiles } from './forwarded-files.ts';
import { newMessageId } from './message-id.ts';
import type { WritingAccount } from './parts.ts';
import { fieldOf, withContentOf, withFields } from './raw-email.ts';
import { withFilesOf } from './replace-files.ts';
import { contentOf, type DraftFields, type ShownDraft, type WriteParts } from './write-draft.ts';

/** What a caller changes in a draft; missing fields are unchanged. */
export interface DraftChange {
  to?: DraftFields['to'];
  cc?: DraftFields['cc'];
  bcc?: DraftFields['bcc'];
  subject?: string;
  body?: string;
  format: DraftFields['format'];
  /** Replace those of the draft. */
  attachments?: readonly AttachmentToSend[];
}

/** As in an email that is built. */
const UNNAMED = 'attachment';

/**
 * The changed draft. What is not changed remains as it is, byte by byte, each header and the text with its files: another
 * program may have written it in a way that we do not, or with another address of the user in `From`.
 */
export async function revisedDraft(
  parts: WriteParts,
  account: WritingAccount,
  { raw, email, draft, session }: { raw: Uint8Array; email: ParsedEmail; draft: DraftPlace; session: MailSession },
  change: DraftChange,
): Promise<{ raw: Uint8Array; content: ShownDraft }> {
  const isBodyChanged = change.body !== undefined || change.attachments !== undefined;
  const content = await contentOf(parts, account, {
    to: change.to ?? email.to,
    cc: change.cc ?? email.cc,
    bcc: change.bcc ?? email.bcc,
    subject: change.subject ?? email.subject,
    body: change.body ?? email.text,
    format: change.body === undefined ? 'plain' : change.format,
    attachments: isBodyChanged ? (change.attachments ?? (await filesOf(session, draft, email))) : [],
    inReplyTo: email.inReplyTo,
    references: email.references,
    rfcMessageId: email.rfcMessageId ?? newMessageId(parts, account),
  });
  const { to = [], cc = [], bcc = [] } = change;
  const built = await (await parts.connector()).build({ ...content, to, cc, bcc });
  const fields = changedFields(email, change).map((name) => [name, fieldOf(built, name)] as const);
  const revised = isBodyChanged ? withChangedBody({ raw, email }, built, change) : { raw, inside: email.attachments };
  const attachments = [
    ...outerFiles(revised.inside).map(({ name = UNNAMED }) => ({ name })),
    ...(isBodyChanged ? content.attachments : []),
  ];
  return { raw: withFields(revised.raw, Object.fromEntries(fields)), content: { ...content, attachments } };
}

/** With the text and the files of the email that was built, or only with its files. */
function withChangedBody(
  { raw, email }: { raw: Uint8Array; email: ParsedEmail },
  built: Uint8Array,
  { body }: DraftChange,
): { raw: Uint8Array; inside: readonly EmailAttachment[] } {
  const sameText = body === undefined ? withFilesOf(raw, built, email.attachments) : undefined;
  if (sameText) return sameText;
  if (body === undefined && isTextCut(email)) {
    throw new AppError('TOO_LARGE', 'The text of the draft is too long for its files to be changed.', {
      field: 'attachments',
      hint: 'Give the text as body, too.',
    });
  }
  return { raw: withContentOf(raw, built), inside: [] };
}

function changedFields({ from, rfcMessageId }: ParsedEmail, { to, cc, bcc, subject }: DraftChange): string[] {
  return [
    'Date',
    ...(from.length === 0 ? ['From'] : []),
    ...(rfcMessageId === undefined ? ['Message-ID'] : []),
    ...(to === undefined ? [] : ['To']),
    ...(cc === undefined ? [] : ['Cc']),
    ...(bcc === undefined ? [] : ['Bcc']),
    ...(subject === undefined ? [] : ['Subject']),
  ];
}

async function filesOf(
  session: MailSession,
  { path, uid }: DraftPlace,
  email: ParsedEmail,
): Promise<AttachmentToSend[]> {
  const files: AttachmentToSend[] = [];
  for (const { part, name = UNNAMED, mime } of outerFiles(email.attachments)) {
    const { content } = await session.part(path, uid, part, MAX_BYTES);
    files.push({ name, mime, content });
    checkSize(files);
  }
  return files;
}
