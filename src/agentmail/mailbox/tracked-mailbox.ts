import { AppError } from '../../domain/errors.ts';
import { trackedMail } from '../repository/tracked-mail.ts';
import { mailFolderOf } from './locked-file.ts';
import type { Warn } from './quarantine.ts';

/** Whether git tracks a mailbox: its letters came with the repository, and are never delivered. */
export function isTracked(mailbox: string, warn: Warn): boolean {
  if (!trackedMail(mailFolderOf(mailbox), warn).has(mailbox)) return false;
  warn(`${mailbox} is tracked by git, so its letters are not delivered. ${WAY_OUT}`);
  return true;
}

/** A letter in a tracked mailbox would never be read. */
export function requireUntracked(mailbox: string): void {
  if (!isTracked(mailbox, () => {})) return;
  throw new AppError('CONFLICT', `${mailbox} is tracked by git, so nothing in it is delivered`, { hint: WAY_OUT });
}

/** Only the user knows whether the mail is the own one, which git was given by mistake, or came with a clone. */
export const UNTRACK =
  'Run `git rm -r --cached .agentmail` if this mail is yours: it is delivered then. `git rm -r -f .agentmail` deletes mail that came with the repository.';
const WAY_OUT = `${UNTRACK} Add \`.agentmail/\` to .gitignore.`;
