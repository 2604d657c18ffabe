/** A message as it stands in a mailbox. */
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
 * How far a letter has come, each step truthfully: nothing is announced that was not, nothing fetched that nobody took.
 * Lost: it is in its mailbox no more, and nobody noted that it was fetched.
 */
export type LetterState = 'stored' | 'announced' | 'fetched' | 'answered' | 'bounced' | 'lost';

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
  /** The beginning of it, for people. */
  preview: string;
}
