import type { Letter } from '../letter.ts';
import type { LetterProof } from '../ports.ts';
import { claimsUser, HUMAN } from '../user-name.ts';

type Claim = Pick<Letter, 'id' | 'from' | 'to' | 'message'>;

/** Whether our store has recorded a letter as one that the user wrote. */
export type IsOwnLetter = (proof: LetterProof) => Promise<boolean>;

const UNVERIFIED = ' (unverified)';

/**
 * The letter with a sender that can be shown. A mailbox is a file of the repository, so that a letter `From: human` may
 * have been written by anyone; it is the user's only if our store says so.
 */
export async function withVerifiedSender<T extends Claim>(
  repository: string,
  letter: T,
  isOwnLetter: IsOwnLetter,
): Promise<T> {
  if (!claimsUser(letter.from)) return letter;
  // A letter is delivered even if the store cannot be read.
  const isOwn = letter.from === HUMAN && (await isOwnLetter(proofOf(repository, letter)).catch(() => false));
  if (isOwn) return letter;
  return { ...letter, from: `${letter.from}${UNVERIFIED}` };
}

/** What our store records of a letter: another one with the same id is not the user's. */
export function proofOf(repository: string, { id, from, to, message }: Claim): LetterProof {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const digest = createHash('sha256')
    .update(JSON.stringify([from, to, message]))
    .digest('hex');
  return { repository, id, digest };
}

export function isUnverified(from: string): boolean {
  return from.endsWith(UNVERIFIED) && claimsUser(from.slice(0, -UNVERIFIED.length));
}
