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

const WAY_OUT = 'Run `git rm -r .agentmail`, and add `.agentmail/` to .gitignore.';
