import { isTextCut, type ParsedEmail } from '../../domain/email.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ItemDescription, OutboxItem } from '../../domain/outbox.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { shownAddress } from '../compose/address.ts';

/** Name of the sender in the outbox. */
export const EMAIL = 'email';

/** An email as the outbox stores it: what a person sees before approving it, and which draft it is. */
export interface EmailPayload {
  /** Our id of the draft, if it has no Message-ID. */
  draft_id?: string;
  /** What the draft was when it was submitted: a changed one is not sent. */
  digest: string;
  rfc_message_id?: string;
  subject: string;
  to: string;
  cc?: string;
  bcc?: string;
  attachments?: string;
  text: string;
  /** Id of the conversation that it answers, if all its recipients take part in it. */
  answers?: string;
}

/** Who approves it sees that there is more. */
const END_IS_NOT_SHOWN = '[The end of this email is sent, but too long to be shown here.]';

export function toPayload(
  email: ParsedEmail,
  { id, digest, answers }: { id: string; digest: string; answers: string | undefined },
): JsonObject & EmailPayload {
  const { to, cc, bcc, rfcMessageId, subject, text } = email;
  const attachments = email.attachments.map(({ name = '(no name)', size }) =>
    size === undefined ? name : `${name} (${formatBytes(size)})`,
  );
  return {
    digest,
    ...(rfcMessageId === undefined ? { draft_id: id } : { rfc_message_id: rfcMessageId }),
    subject,
    to: to.map(shownAddress).join(', '),
    ...(cc.length > 0 ? { cc: cc.map(shownAddress).join(', ') } : {}),
    ...(bcc.length > 0 ? { bcc: bcc.map(shownAddress).join(', ') } : {}),
    ...(attachments.length > 0 ? { attachments: attachments.join(', ') } : {}),
    text: isTextCut(email) ? `${text}\n\n${END_IS_NOT_SHOWN}` : text,
    ...(answers === undefined ? {} : { answers }),
  };
}

/** Undefined if this is no email, or its content has been deleted. */
export function readPayload({ payload }: Pick<OutboxItem, 'payload'>): EmailPayload | undefined {
  const { digest, subject, to, text } = payload;
  const isEmail = [digest, subject, to, text].every((value) => typeof value === 'string');
  return isEmail ? (payload as unknown as EmailPayload) : undefined;
}

export function describePayload(item: OutboxItem): ItemDescription {
  const payload = readPayload(item);
  if (!payload) return { text: '' };
  const { subject, to, cc, bcc, attachments, text } = payload;
  return {
    text,
    details: {
      subject,
      to,
      ...(cc === undefined ? {} : { cc }),
      ...(bcc === undefined ? {} : { bcc }),
      ...(attachments === undefined ? {} : { attachments }),
    },
  };
}
