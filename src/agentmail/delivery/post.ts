import type { AgentContext, AgentStatus } from '../agent.ts';
import type { Letter, SentLetter } from '../letter.ts';
import type { StatusReason } from './wake-methods.ts';

/**
 * An unread letter that is leased to its reader. It is marked read only when the reader has received it. Its mailbox is
 * locked until then, for a second at most.
 */
export interface LeasedLetter {
  letter: Letter;
  /** Number of other unread letters. */
  remaining: number;
  /** The reader has received it: marks it read, on disk. */
  done(): Promise<void>;
  /** The reader is slow: the mailbox is unlocked, and another program may take the letter, too. */
  unlock(): void;
  /** The reader could not receive it: it remains unread. */
  release(): Promise<void>;
}

export interface MailRecipient {
  name: string;
  isCurrent: boolean;
  status?: AgentStatus;
}

export interface StoredLetter {
  id: string;
  to: string;
  state: 'stored';
  note?: string;
}

/** Mail between agents, on its files alone. Operations and the `agentmail` command use it. */
export interface PostOffice {
  /**
   * On disk when this returns. Fails with RECIPIENT_NOT_FOUND, TOO_LARGE, VALIDATION_ERROR, CONFLICT (loop guard),
   * BUSY. With a `note` where the recipient may never read it.
   */
  send(at: AgentContext, to: string, message: string): Promise<StoredLetter>;
  /** The oldest unread letter; undefined if there is none. */
  take(at: AgentContext): Promise<LeasedLetter | undefined>;
  recipients(at: AgentContext): Promise<readonly MailRecipient[]>;
  setStatus(at: AgentContext, status: AgentStatus, reason?: StatusReason): Promise<void>;
  /** Our sent letters with their states, newest first. */
  sent(at: AgentContext, options: { limit: number }): Promise<readonly SentLetter[]>;
  /** Received letters, read or not, newest last; leases none. */
  history(at: AgentContext, options: { limit: number; with?: string }): Promise<readonly Letter[]>;
  close(): void;
}
