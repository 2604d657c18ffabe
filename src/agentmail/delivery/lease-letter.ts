import { relative } from 'node:path';
import { randomHex } from '../../lib/chance.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Letter } from '../letter.ts';
import type { HeldMailbox, HeldMailboxes } from '../mailbox/held-mailboxes.ts';
import { type OpenMailbox, withMailbox } from '../mailbox/mailbox.ts';
import type { Warn } from '../mailbox/quarantine.ts';
import type { UnreadSearch } from '../mailbox/unread.ts';
import type { DeliveryState } from './delivery-state.ts';
import type { OwnMailbox } from './own-mail.ts';
import type { LeasedLetter } from './post.ts';

/** After this time a leased letter may be delivered again. */
const LEASE_MS = 60_000;

export interface LeaseParts {
  clock: Clock;
  warn: Warn;
  state: DeliveryState;
  held: HeldMailboxes;
  /** For state that must be stored after the letter was delivered. */
  retryWhileBusy<T>(work: (state: DeliveryState) => T | Promise<T>): Promise<T>;
  /** Mailboxes are stored relative to this folder. */
  mailFolder: string;
}

/** The oldest unread letter of several mailboxes, leased. */
export async function leaseOldestUnread(
  mailboxes: readonly OwnMailbox[],
  parts: LeaseParts,
): Promise<LeasedLetter | undefined> {
  const taken = await takeFirst(mailboxes, parts);
  if (!(await mailboxes[0]?.ask())) return taken;
  // Now an older letter may be ours.
  await taken?.release();
  return takeFirst(mailboxes, parts);
}

async function takeFirst(mailboxes: readonly OwnMailbox[], parts: LeaseParts): Promise<LeasedLetter | undefined> {
  const [only] = mailboxes;
  if (only === undefined) return undefined;
  if (mailboxes.length === 1) return takeFrom(only, parts);
  const waiting = await inOrder(mailboxes, parts);
  const unread = waiting.reduce((sum, each) => sum + each.unread, 0);
  for (const { mailbox } of waiting) {
    const taken = await takeFrom(mailbox, parts);
    if (taken) return { ...taken, remaining: unread - 1 };
  }
  return undefined;
}

/** Mailboxes with unread letters for us, ordered by the age of their first one. */
async function inOrder(mailboxes: readonly OwnMailbox[], parts: LeaseParts) {
  const waiting: { mailbox: OwnMailbox; since: number; unread: number }[] = [];
  for (const mailbox of mailboxes) {
    parts.held.giveUp(mailbox.path);
    const found = await withMailbox(mailbox.path, parts.warn, (box) => search(box, mailbox, parts));
    if (found?.first === undefined) continue;
    const since = Date.parse(found.first.letter.createdAt ?? '') || 0;
    waiting.push({ mailbox, since, unread: found.unread - found.skipped });
  }
  return waiting.sort((a, b) => a.since - b.since);
}

/** The mailbox stays locked until the letter is marked as read: the original program knows no leases. */
async function takeFrom(mailbox: OwnMailbox, parts: LeaseParts): Promise<LeasedLetter | undefined> {
  const holding = await parts.held.hold(mailbox.path, parts.warn, (box) => leaseFirst(box, mailbox, parts));
  if (!holding) return undefined;
  const { first, lease, remaining } = holding.found;
  return {
    letter: first.letter,
    remaining,
    async done() {
      try {
        await settle(mailbox, holding, first, parts);
      } finally {
        holding.giveUp();
      }
    },
    unlock: () => holding.giveUp(),
    async release() {
      holding.giveUp();
      await parts.retryWhileBusy((notes) => notes.release(lease));
    },
  };
}

function leaseFirst(box: OpenMailbox, mailbox: OwnMailbox, parts: LeaseParts) {
  const { first, hint, unread, skipped } = search(box, mailbox, parts);
  if (first === undefined) return undefined;
  const now = parts.clock.now();
  const lease = { id: first.letter.id, token: randomHex(8) };
  const held = { ...lease, mailbox: keyOf(mailbox, parts), holder: process.pid, until: now + LEASE_MS };
  return parts.state.lease(held, now, hint) ? { first, lease, remaining: unread - skipped - 1 } : undefined;
}

function search(box: OpenMailbox, mailbox: OwnMailbox, parts: LeaseParts): UnreadSearch {
  const key = keyOf(mailbox, parts);
  const leased = parts.state.leased(parts.clock.now());
  return box.firstUnread(parts.state.hint(key), (letter) => !leased.has(letter.id) && mailbox.isOurs(letter));
}

/** Retried while the state is busy. If the letter is marked read by then, only the stored position is lost. */
async function settle(
  mailbox: OwnMailbox,
  holding: Pick<HeldMailbox<unknown>, 'use'>,
  { letter: { id }, start }: { letter: Letter; start: number },
  parts: LeaseParts,
): Promise<void> {
  const { clock, warn, retryWhileBusy } = parts;
  const key = keyOf(mailbox, parts);
  let isMarked = false;
  const mark = (state: DeliveryState) =>
    holding.use((box) => {
      const marked = box.markRead(id, start, state.hint(key));
      isMarked = true;
      state.settle(id, key, clock.now(), marked?.hint);
    });
  try {
    await retryWhileBusy(mark);
  } catch (error) {
    if (!isMarked) throw error;
    warn(`letter ${id} was fetched, but its state could not be stored: ${(error as Error).message}`);
  }
}

function keyOf({ path }: OwnMailbox, { mailFolder }: LeaseParts): string {
  return relative(mailFolder, path);
}
