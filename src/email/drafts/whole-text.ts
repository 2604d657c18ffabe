import { MailError } from '../../connectors/mail-connector.ts';
import { isTextCut } from '../../domain/email.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';
import type { Answered } from './original.ts';
import type { WritingParts } from './parts.ts';

/** Characters of an email that can be written again: the store has only the beginning of a long text. */
export const MAX_WHOLE_TEXT = 4_000_000;

/** The email with the text that the server has; `isCut` is left where that is too long or cannot be had. */
export async function wholeOriginal(
  { sessions }: Pick<WritingParts, 'sessions'>,
  { stored, original }: Answered,
  signal: AbortSignal,
): Promise<Answered['original']> {
  const [place] = stored.locations;
  if (!original.isCut || !place) return original;
  const { session } = await sessions.of(stored.account, signal);
  try {
    const email = await session.email(place.path, place.uid, MAX_WHOLE_TEXT);
    // Had the folder been numbered anew, the UID would mean another email.
    if (email.rfcMessageId !== stored.rfcMessageId) return original;
    return { ...original, text: email.text, isCut: isTextCut(email) };
  } catch (error) {
    if (error instanceof MailError && error.kind === 'refused') return original;
    throw mailFailure(error, stored.account);
  }
}
