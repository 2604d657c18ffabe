import { AppError } from '../../domain/errors.ts';

/** A crash leaves one. Each takes as long as a letter to read, and a file can have a hundred million. */
const MAX_WASTE = 10_000;

/** Call the result for each line or part of a line that is not a letter: it fails when there are too many. */
export function createWasteLimit(): () => void {
  let found = 0;
  return () => {
    found += 1;
    if (found <= MAX_WASTE) return;
    throw new AppError(
      'CONFLICT',
      `a mailbox has more than ${MAX_WASTE} lines that are not letters, so it is not read`,
      {
        hint: 'Look into .agentmail/mailboxes, and move the file with these lines away.',
      },
    );
  };
}
