import { join } from 'node:path';
import type { DraftContent } from '../../connectors/mail-connector.ts';
import { AppError } from '../../domain/errors.ts';
import { isConfined } from '../../domain/grants.ts';
import { isMailAddress } from '../../domain/mail-address.ts';
import { quotedName } from '../../lib/shown-name.ts';
import type { OperationContext } from '../../operation.ts';
import { shownAddress } from '../compose/address.ts';
import { type AttachmentInput, type AttachmentToSend, readAttachments } from '../compose/attachments.ts';
import { htmlDocument, isFormatted, markdownToHtml } from '../compose/html-body.ts';
import { checkCount, type Recipients } from '../compose/recipients.ts';
import { saveDraft } from './draft-folder.ts';
import type { DraftOutput } from './draft-schema.ts';
import { newMessageId } from './message-id.ts';
import type { WritingAccount, WritingParts } from './parts.ts';

export interface WriteParts extends WritingParts {
  /** Files that may be sent are in its folder `attachments`. */
  home: string;
}

export interface Written {
  text: string;
  html?: string;
}

/** What a caller is told of a draft; of its files only the names. */
export type ShownDraft = Omit<DraftContent, 'attachments'> & { attachments: readonly { name: string }[] };

/** What a caller writes. */
export interface DraftFields extends Recipients {
  subject: string;
  body: string;
  format: 'markdown' | 'plain';
  attachments: readonly AttachmentToSend[];
  inReplyTo?: string | undefined;
  references?: readonly string[];
  rfcMessageId?: string;
  /** Adds the original below the text. */
  around?(written: Written): Written;
}

export async function contentOf(
  parts: WritingParts,
  account: WritingAccount,
  fields: DraftFields,
): Promise<DraftContent> {
  const { to, cc, bcc, subject, attachments, inReplyTo, references = [] } = fields;
  checkCount(fields);
  checkOwnAddress(account);
  const written = await writtenBy(fields);
  const { text, html } = fields.around?.(written) ?? written;
  return {
    rfcMessageId: fields.rfcMessageId ?? newMessageId(parts, account),
    date: parts.clock.now(),
    from: account.from,
    to,
    cc,
    bcc,
    subject: subject.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim(),
    text: `${text.trimEnd()}\n`,
    ...(html === undefined ? {} : { html: htmlDocument(html) }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    references,
    attachments,
  };
}

/** The configuration takes more than can be in a header. */
function checkOwnAddress({ id, from: { address } }: WritingAccount): void {
  if (isMailAddress(address)) return;
  throw new AppError('VALIDATION_ERROR', `The address ${quotedName(address)} of the account '${id}' is not valid.`, {
    field: 'account',
    hint: 'Emails cannot be written from it: correct it in the settings of the account.',
  });
}

/** Writes a draft into the account's folder for drafts. */
export async function writeDraft(
  context: WriteParts & OperationContext,
  account: WritingAccount,
  fields: DraftFields & { thread?: string; warnings?: readonly string[] },
): Promise<DraftOutput> {
  const content = await contentOf(context, account, fields);
  const id = await saveDraft(context, account, content, context.signal);
  const { thread, warnings = [] } = fields;
  return {
    ...toDraftOutput(id, account, content, thread),
    ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
  };
}

/**
 * The files to send; the person at the command line may send any. A caller that is confined to some conversations may not send
 * what others have saved.
 */
export async function attachmentsFor(
  { home, door, origin, isPerson, principal }: WriteParts & OperationContext,
  inputs: readonly (string | Extract<AttachmentInput, { content_base64: string }>)[] = [],
): Promise<readonly AttachmentToSend[]> {
  if (inputs.length === 0) return [];
  if (isConfined(principal) && inputs.some((input) => typeof input === 'string')) {
    throw new AppError('FORBIDDEN', `${principal.name} may attach files only by their content.`, {
      field: 'attachments',
    });
  }
  const isAtTerminal = door === 'cli' && origin !== undefined && (await isPerson?.()) === true;
  return readAttachments(
    inputs.map((input) => (typeof input === 'string' ? { path: input } : input)),
    { folder: join(home, 'attachments'), ...(isAtTerminal ? { person: { workingDirectory: origin.cwd } } : {}) },
  );
}

export function renderDraft({
  draft_id: id,
  account,
  subject,
  to,
  cc = [],
  bcc = [],
  warnings = [],
}: DraftOutput): string {
  const copies = [
    ...(cc.length > 0 ? [`, cc ${cc.join(', ')}`] : []),
    ...(bcc.length > 0 ? [`, bcc ${bcc.join(', ')}`] : []),
  ];
  const whom = to.length === 0 && copies.length === 0 ? 'without recipients' : `to ${to.join(', ')}${copies.join('')}`;
  return [
    `Draft ${id} in ${account}: ${quotedName(subject)} ${whom}. It is not sent: send_email sends it.`,
    ...warnings.map((warning) => `Warning: ${warning}`),
  ].join('\n');
}

export function toDraftOutput(
  id: string,
  account: WritingAccount,
  content: ShownDraft,
  thread: string | undefined,
): DraftOutput {
  const { rfcMessageId, subject, to, cc, bcc, inReplyTo, attachments } = content;
  return {
    draft_id: id,
    account: account.id,
    subject,
    to: to.map(shownAddress),
    ...(cc.length > 0 ? { cc: cc.map(shownAddress) } : {}),
    ...(bcc.length > 0 ? { bcc: bcc.map(shownAddress) } : {}),
    ...(attachments.length > 0 ? { attachments: attachments.map(({ name }) => name) } : {}),
    rfc_message_id: rfcMessageId,
    ...(inReplyTo === undefined ? {} : { in_reply_to: inReplyTo }),
    ...(thread === undefined ? {} : { thread_id: thread }),
  };
}

/** Markdown that formats nothing needs no HTML. */
async function writtenBy({ body, format }: DraftFields): Promise<Written> {
  if (format === 'plain') return { text: body };
  const html = await markdownToHtml(body);
  return isFormatted(html) ? { text: body, html } : { text: body };
}
