import type { z } from 'zod';
import type { InboundEvent } from '../domain/chat.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

/** The code for one network. */
export interface Connector<Settings> {
  kind: string;
  /** The settings of its sources, besides those of every source. A function, so that they are built only when needed. */
  settings(): z.ZodObject;
  /** Makes the connection of one source; nothing happens before it is run. Loads the code of the network. */
  open(settings: Settings, host: Host): Promise<Connection>;
}

interface Definition<Schema extends z.ZodObject> {
  kind: string;
  settings(): Schema;
  open(settings: z.output<Schema>, host: Host): Promise<Connection>;
}

/** Defines a connector whose `open` gets what its settings schema gives. */
export function defineConnector<Schema extends z.ZodObject>(
  definition: Definition<Schema>,
): Connector<z.output<Schema>> {
  return definition;
}

/** What a connection can do; what its network lacks is not there. */
export interface Connection {
  /**
   * Signs in, calls `host.connected`, and passes on what happens until the signal is aborted; then it signs off and
   * returns. Throws when the connection is lost: it is run again, with growing waits. Returns `rejected` when trying
   * again is of no use before a setting or the account changes.
   */
  run(signal: AbortSignal): Promise<Rejected | undefined>;
  /**
   * Sends a message. The result is `sent` once the network has taken it, and `not-sent` when it certainly has not. A
   * thrown error counts as `unknown`. What was taken is stored as the user's own message, from the network's echo or by
   * the connection itself.
   */
  send?(outgoing: Outgoing): Promise<SendOutcome>;
  /**
   * The id of the chat with somebody who is called so on the network, where this can be a name there: an address, a
   * nickname. Asked whether or not the network is reached.
   */
  addressOf?(text: string): string | undefined;
  /**
   * Looks for a message whose `send` ended as `unknown`. `absent` means that it may be sent again. A thrown error counts
   * as `unknown`.
   */
  wasSent?(outgoing: Outgoing): Promise<LookOutcome>;
  /**
   * A page of what the network has kept, or `cursor-lost` where the network no longer knows `from`. Called only between
   * `host.connected` and the end of `run`.
   */
  history?(request: HistoryRequest): Promise<HistoryPage | CursorLost>;
  /** More has been accepted than is stored by now: holds the network back (true), until that is done (false). */
  hold?(isHeld: boolean): void;
}

/** What the engine gives a connection. */
export interface Host {
  /** The id of the source. */
  readonly source: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Stores what has just happened, in this order, in batches. It is on disk when this resolves: only then may the network
   * forget it. A connection need not wait for that: the engine ends it when something could not be stored. The same again
   * changes nothing. `position` is that of the last event in a timeline, so that what is missed later can be fetched from
   * there.
   */
  accept(events: readonly InboundEvent[], position?: Position): Promise<void>;
  /**
   * The network is reached. For each of these timelines the engine now asks for what was missed since last time, and then
   * for older messages, by `history`. May be called again with timelines that came later (a joined channel).
   */
  connected(timelines?: readonly Timeline[]): void;
  /** Remembers something of the connection's own across restarts, such as a cursor. */
  readonly memory: Memory;
}

export interface Memory {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

/** Something the network lets us page through: the history of one chat, or of all chats of an account. */
export interface Timeline {
  /** Stable across restarts. */
  id: string;
  /** The chat, where it is the history of just one. */
  chat?: string;
}

/** A place in a timeline, in words that only the connection understands. */
export interface Position {
  timeline: string;
  cursor: string;
}

export interface HistoryRequest {
  timeline: string;
  /** `older`: what comes before `from`, or the newest where it is missing. `newer`: what comes after `from`. */
  direction: 'older' | 'newer';
  from?: string;
  limit: number;
  signal: AbortSignal;
}

export interface HistoryPage {
  kind: 'page';
  /** Oldest first, whichever way it was asked for. */
  events: readonly InboundEvent[];
  /** Cursors of the first and the last entry; missing where the page is empty. */
  oldest?: string;
  newest?: string;
  /** Whether there is nothing beyond this page, that way. */
  end: boolean;
}

export interface Outgoing {
  /** Ours; the same message again has the same. */
  id: string;
  /** The network's id of the chat. */
  chat: string;
  text: string;
  /** The network's id of the message that is answered. */
  replyTo?: string;
  /** It cannot have left before this moment, by our clock, in milliseconds. */
  since?: number;
}

export interface Sent {
  kind: 'sent';
  /** The network's id of the message, where it gives one. */
  id?: string;
}

/**
 * The outcomes that a caller acts on are values. `reason` is written by us and may be shown to the user; `cause` is for
 * the log.
 */
interface Failure<Kind extends string> {
  kind: Kind;
  reason: string;
  cause?: unknown;
}

/** The message certainly did not leave. `retry`: the same may work later. */
export type NotSent = Failure<'not-sent'> & { retry: boolean };

/** It is not known whether the message left. */
export type Unknown = Failure<'unknown'>;

export type SendOutcome = Sent | NotSent | Unknown;
export type LookOutcome = Sent | { kind: 'absent' } | Unknown;

/** Trying again is of no use until a setting or the account changes: a wrong password, a banned account. */
export type Rejected = Failure<'rejected'>;

/** The network no longer knows the cursor that `history` was asked to continue from. */
export type CursorLost = Failure<'cursor-lost'>;
