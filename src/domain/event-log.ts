import type { JsonObject } from './json.ts';

/** A fact about something that changed, not yet stored. */
export interface NewEvent {
  /** `session.created`, `message.received` … */
  type: string;
  /** What it is about, as an id or URI that subscribers filter by. */
  subject: string;
  data: JsonObject;
}

export interface StoredEvent extends NewEvent {
  /** Grows by each event and never repeats: subscribers resume from it. */
  number: number;
  /** ISO 8601, UTC. */
  at: string;
}

export interface EventFilter {
  /** Exact types, or prefixes that end in a dot: `session.` is every event of sessions. */
  types?: readonly string[];
  /** Default 1,000: to read more, continue from the last one. */
  limit?: number;
}

/**
 * The log of everything that changed. A store method that changes something writes its events in the same
 * transaction; `append` is for facts that change nothing else.
 */
export interface EventLog {
  append(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /** Events with a number above `after`, oldest first. */
  read(after: number, filter?: EventFilter): Promise<readonly StoredEvent[]>;
  /** The oldest retained and the newest assigned number; a subscriber that wants an older one has missed events. */
  range(): Promise<{ first: number; last: number }>;
  /**
   * Calls the listener after each commit of this process with the stored events, in the order of their numbers,
   * including those that another process wrote in between. Returns a function that stops listening.
   */
  listen(listener: (events: readonly StoredEvent[]) => void): () => void;
  /**
   * Deletes events older than the timestamp (milliseconds); numbers are never reused. Returns how many were deleted.
   */
  prune(before: number): Promise<number>;
}
