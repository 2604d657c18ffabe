import type { Memory } from '../../connectors/connector.ts';
import type { MailStore } from '../ports.ts';

interface PrepareParts {
  account: string;
  mail: Pick<MailStore, 'folders' | 'saveProgress' | 'removeAccount'>;
  memory: Memory;
  /** The same for the same mailbox. */
  mailbox: string;
  /** Days of older mail that are fetched; missing for all. */
  days?: number;
}

const MAILBOX = 'email.mailbox';
const DAYS = 'email.history_days';
const ALL = 'all';

/**
 * Compares what is stored of the folders with the settings. UIDs of another mailbox mean other emails, even where the numberings
 * happen to be the same. Where older mail is wanted now, the folders are read again; emails that are stored are not.
 */
export async function prepareFolders({ account, mail, memory, mailbox, days }: PrepareParts): Promise<void> {
  const before = await memory.get(MAILBOX);
  if (before !== undefined && before !== mailbox) await mail.removeAccount(account);
  if (before !== mailbox) await memory.set(MAILBOX, mailbox);
  const wanted = days === undefined ? ALL : String(days);
  const known = await memory.get(DAYS);
  if (known === wanted) return;
  if (known !== undefined && isMore(wanted, known)) {
    for (const { key, high } of await mail.folders(account)) await mail.saveProgress(key, { low: high });
  }
  await memory.set(DAYS, wanted);
}

function isMore(wanted: string, known: string): boolean {
  return known !== ALL && (wanted === ALL || Number(wanted) > Number(known));
}
