import { isDeepStrictEqual } from 'node:util';
import type { DraftContent } from '../../connectors/mail-connector.ts';
import type { ParsedEmail } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';
import { type DraftPlace, draftsByRfcId, MAX_RAW_BYTES } from './draft-folder.ts';
import type { WritingParts } from './parts.ts';
import { toPayload } from './payload.ts';

/** The draft that an earlier call with the same key wrote. Throws CONFLICT if it says something else. */
export async function draftOfKey(
  parts: WritingParts,
  account: string,
  content: DraftContent,
  signal: AbortSignal,
): Promise<DraftPlace | undefined> {
  const [before] = await draftsByRfcId(parts, account, content.rfcMessageId);
  if (!before) return undefined;
  const [{ session }, connector] = await Promise.all([parts.sessions.of(account, signal), parts.connector()]);
  const raw = await session.source(before.path, before.uid, MAX_RAW_BYTES).catch((error: unknown) => {
    throw mailFailure(error, account);
  });
  if (saysTheSame(connector.parse(raw), connector.parse(await connector.build(content)))) return before;
  throw new AppError('CONFLICT', 'This idempotency key was used for another email. Nothing was sent.', {
    field: 'idempotency_key',
  });
}

/** Servers may encode it differently. */
function saysTheSame(one: ParsedEmail, other: ParsedEmail): boolean {
  const comparable = (email: ParsedEmail) =>
    toPayload({ ...email, text: email.text.trim() }, { id: '', digest: '', answers: undefined });
  return isDeepStrictEqual(comparable(one), comparable(other));
}
