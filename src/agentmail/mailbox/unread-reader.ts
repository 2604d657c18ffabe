import { relative } from 'node:path';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import type { Letter } from '../letter.ts';
import { statOf } from '../repository/repository-file.ts';
import { readUnread } from './mailbox.ts';

/** A file that was just changed may change again with the same modification time: file systems' clocks are coarse. */
const SETTLED_MS = 1_000;

export type ReadMailbox = (mailbox: string) => Promise<readonly Letter[]>;

/**
 * Returns the unread letters to a repeated caller: unchanged mailboxes are not opened, and of a changed one only the
 * part beyond the hint is read.
 */
export function createUnreadReader(state: Pick<DeliveryState, 'hint'>, mailFolder: string): ReadMailbox {
  const known = new Map<string, { look: string; unread: readonly Letter[] }>();
  return async (mailbox) => {
    const look = lookOf(mailbox);
    const before = known.get(mailbox);
    if (before && before.look === look) return before.unread;
    known.delete(mailbox);
    const unread = await readUnread(mailbox, state.hint(relative(mailFolder, mailbox)));
    if (look !== undefined) known.set(mailbox, { look, unread });
    return unread;
  };
}

/** Undefined for a file that changed too recently to compare. */
function lookOf(mailbox: string): string | undefined {
  const found = statOf(mailbox);
  if (!found || Date.now() - found.mtimeMs < SETTLED_MS) return undefined;
  return `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`;
}
