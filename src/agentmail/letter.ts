import type { UnwokenReason } from './delivery/unwoken-reason.ts';

/** A message in a mailbox. */
export interface Letter {
  id: string;
  from: string;
  to: string;
  message: string;
  isRead: boolean;
  /** RFC 3339 as written; missing in mail of old versions. */
  createdAt?: string;
}

/**
 * The delivery state of a letter. `announced`: the recipient was notified. `fetched`: it was read. `bounced`: the
 * recipient's window was closed. `gone`: it is no longer in its mailbox; another program has removed it, probably after reading.
 */
export type LetterState = 'stored' | 'announced' | 'fetched' | 'answered' | 'bounced' | 'gone';

export interface SentLetter {
  id: string;
  to: string;
  state: LetterState;
  /** Milliseconds since 1970. */
  storedAt: number;
  announcedAt?: number;
  /** `typed`, `rewake` or `codex`. */
  announcedBy?: string;
  fetchedAt?: number;
  answeredAt?: number;
  answerId?: string;
  bouncedAt?: number;
  /** Why the recipient was not notified of it. */
  unwoken?: { reason: UnwokenReason; since: number };
  /** The beginning of its text. */
  preview: string;
}
