import { resolve } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { Letter } from '../letter.ts';
import { readLetters } from '../mailbox/mailbox.ts';
import type { DeliveryState } from './delivery-state.ts';
import type { TrackedLetter } from './letter-states.ts';

/**
 * The current state of these letters. A program that stores no state may have read some, which is stored here; some
 * may be gone from their mailbox.
 */
export async function refreshStatus(
  letters: readonly TrackedLetter[],
  { state, mailFolder, now }: { state: DeliveryState; mailFolder: string; now: number },
): Promise<readonly TrackedLetter[]> {
  const waiting = Map.groupBy(
    letters.filter(({ fetchedAt }) => fetchedAt === undefined),
    ({ mailbox }) => resolve(mailFolder, mailbox),
  );
  const changed = new Map<string, Partial<TrackedLetter>>();
  for (const [mailbox, noted] of waiting) {
    const inside = new Map((await lettersIn(mailbox)).map((letter) => [letter.id, letter]));
    for (const { id } of noted) {
      const letter = inside.get(id);
      if (letter?.isRead) {
        state.fetched(id, now);
        changed.set(id, { state: 'fetched', fetchedAt: now });
      } else if (!letter) changed.set(id, { state: 'gone' });
    }
  }
  return letters.map((letter) => ({ ...letter, ...changed.get(letter.id) }));
}

/** The state may name a file that is not used for mail: there is no letter in it. */
async function lettersIn(mailbox: string): Promise<readonly Letter[]> {
  try {
    return await readLetters(mailbox);
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFLICT') return [];
    throw error;
  }
}
