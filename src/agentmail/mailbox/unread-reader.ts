import { lstatSync } from 'node:fs';
import { relative } from 'node:path';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import type { Letter } from '../letter.ts';
import { readUnread } from './mailbox.ts';

/** A file that was just changed may change again without looking different: clocks of file systems are coarse. */
const SETTLED_MS = 1_000;

export type ReadMailbox = (mailbox: string) => Promise<readonly Letter[]>;

/**
 * Gives what is unread to somebody who looks again and again: a mailbox that stayed the same is not opened, and of one that
 * has changed only what is not known to be read is looked at.
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

/** Undefined for a file of which it cannot be told whether it stays as it is. */
function lookOf(mailbox: string): string | undefined {
  const found = lstatSync(mailbox, { throwIfNoEntry: false });
  if (!found || Date.now() - found.mtimeMs < SETTLED_MS) return undefined;
  return `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`;
}
