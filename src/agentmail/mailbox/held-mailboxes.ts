import { holdMailbox, type OpenMailbox, withMailbox } from './mailbox.ts';
import type { Warn } from './quarantine.ts';

/**
 * How long a mailbox stays locked for a reader that is slow. Senders wait for the lock, and the original program has no
 * timeout for it.
 */
export const HOLD_MS = 1_000;

/** A mailbox whose lock is held while a letter in it is delivered, so that no other program takes that letter. */
export interface HeldMailbox<T> {
  found: T;
  /** Under the lock that is held or, if that was given up, under a new one. */
  use<U>(work: (box: OpenMailbox) => U): Promise<U | undefined>;
  giveUp(): void;
}

/** The mailboxes that readers of this process hold. A reader gives its mailbox up as soon as another one needs it. */
export interface HeldMailboxes {
  /** Undefined if there is no mailbox, or nothing in it. */
  hold<T>(mailbox: string, warn: Warn, find: (box: OpenMailbox) => T | undefined): Promise<HeldMailbox<T> | undefined>;
  giveUp(mailbox: string): void;
}

export function createHeldMailboxes(holdMs = HOLD_MS): HeldMailboxes {
  const held = new Map<string, () => void>();
  const waiting = new Map<string, number>();
  const giveUp = (mailbox: string) => held.get(mailbox)?.();

  /** Answers to two readers may be sent together only: the second must not wait until the first has its letter. */
  async function lock(mailbox: string, warn: Warn) {
    giveUp(mailbox);
    waiting.set(mailbox, (waiting.get(mailbox) ?? 0) + 1);
    try {
      return await holdMailbox(mailbox, warn);
    } finally {
      const others = (waiting.get(mailbox) ?? 1) - 1;
      if (others > 0) waiting.set(mailbox, others);
      else waiting.delete(mailbox);
    }
  }

  return {
    giveUp,
    async hold(mailbox, warn, find) {
      const locked = await lock(mailbox, warn);
      if (!locked) return undefined;
      let found: ReturnType<typeof find>;
      try {
        found = find(locked.box);
      } catch (error) {
        locked.close();
        throw error;
      }
      let isHeld = true;
      const release = () => {
        if (!isHeld) return;
        isHeld = false;
        clearTimeout(timer);
        if (held.get(mailbox) === release) held.delete(mailbox);
        locked.close();
      };
      const timer = setTimeout(release, holdMs).unref();
      held.set(mailbox, release);
      if (found === undefined || waiting.has(mailbox)) release();
      if (found === undefined) return undefined;
      const use: HeldMailbox<unknown>['use'] = async (work) =>
        isHeld ? work(locked.box) : withMailbox(mailbox, warn, work);
      return { found, use, giveUp: release };
    },
  };
}
