import type { InboundEvent } from '../domain/chat.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

/** The code for one network. `open` makes the connection of one source; nothing happens before it runs. */
export interface Connector<Settings> {
  kind: string;
  open(settings: Settings, host: Host): Connection;
}

/** What a connection can do; what its network lacks is not there. */
export interface Connection {
  /**
   * Signs in, calls `host.connected`, and passes on what happens until the signal is aborted; then it signs off and
   * returns. Throws when the connection is lost: it is run again, after a while that grows. Throws `Rejected` when
   * trying again is of no use before somebody changes something.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Leaves for the network. Resolves when the network has taken it; fails with `NotSent` when it surely has not. What was
   * taken is stored as the user's own like everything else that is said, by the network's echo or by the connection.
   */
  send?(outgoing: Outgoing): Promise<Sent>;
  /**
   * The id of the chat with somebody who is called so on the network, where this can be a name there: an address, a
   * nickname. Asked whether or not the network is reached.
   */
  addressOf?(text: string): string | undefined;
  /**
   * Looks whether something of which it is not known whether it was sent has arrived at the network; what has not is sent
   * again. Throws where that cannot be told, for instance because so much was said since then.
   */
  wasSent?(outgoing: Outgoing): Promise<Sent | undefined>;
  /**
   * A page of what the network has kept. Called only between `host.connected` and the end of `run`. Fails with
   * `CursorLost` where the network no longer knows the place to go on from.
   */
  history?(request: HistoryRequest): Promise<HistoryPage>;
}

/** What the engine gives a connection. */
export interface Host {
  /** The id of the source. */
  readonly source: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Stores what has just happened, in this order. It is on disk when this resolves: only then may the network forget it.
   * The same again changes nothing. `position` says where in a timeline the last of these stands, so that what is
   * missed later can be asked for from there.
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
  /** The network's id of the message, where it tells. */
  id?: string;
}

/** Trying again is of no use until somebody changes something: a wrong password, a banned account. Its words are ours. */
export class Rejected extends Error {
  override readonly name = 'Rejected';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, 'Rejected');
  }
}

/** The network no longer knows the place that `history` was asked to go on from. */
export class CursorLost extends Error {
  override readonly name = 'CursorLost';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, 'CursorLost');
  }
}

/** The message surely did not leave. `retry` where it may work later. Its words are ours. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  readonly retry: boolean;

  constructor(message: string, { retry = false, cause }: { retry?: boolean; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.retry = retry;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, 'NotSent');
  }
}

/** Connectors are files of their own in the build, each with its own copy of these classes: their names tell them. */
function isNamed(value: unknown, name: string): boolean {
  return value instanceof Error && value.name === name;
}
