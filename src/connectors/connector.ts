import type { z } from 'zod';
import type { Attachment, InboundEvent } from '../domain/chat.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

/** The code for one network. */
export interface Connector<Settings> {
  kind: string;
  /** The settings of its sources, besides those of every source. A function, so that they are built only when needed. */
  settings(): z.ZodObject;
  /** Interactive sign-in; missing if the settings are sufficient. */
  login?(settings: Settings, host: LoginHost): Login;
  /**
   * Revokes the session that `login` created, and deletes its secrets: also when the network cannot be asked. Called
   * when no connection of the source runs.
   */
  logout?(settings: Settings, host: LoginHost): Promise<LogoutEnd>;
  /** Makes the connection of one source; nothing happens before it is run. Loads the code of the network. */
  open(settings: Settings, host: Host): Promise<Connection>;
}

interface Definition<Schema extends z.ZodObject> {
  kind: string;
  settings(): Schema;
  login?(settings: z.output<Schema>, host: LoginHost): Login;
  logout?(settings: z.output<Schema>, host: LoginHost): Promise<LogoutEnd>;
  open(settings: z.output<Schema>, host: Host): Promise<Connection>;
}

/** Defines a connector; `open` receives the output of its settings schema. */
export function defineConnector<Schema extends z.ZodObject>(
  definition: Definition<Schema>,
): Connector<z.output<Schema>> {
  return definition;
}

/** What a connection can do. Methods that its network does not support are missing. */
export interface Connection {
  /**
   * Signs in, calls `host.connected`, and passes on events until the signal is aborted; then it signs off and
   * returns. Throws when the connection is lost: it is run again with growing delays. Returns `rejected` when a retry
   * cannot succeed before a setting or the account changes.
   */
  run(signal: AbortSignal): Promise<Rejected | undefined>;
  /**
   * Sends a message. The result is `sent` once the network has accepted it, and `not-sent` when it certainly has not. A
   * thrown error counts as `unknown`. A sent message is stored as the user's own, from the network's echo or by
   * the connection itself.
   */
  send?(outgoing: Outgoing): Promise<SendOutcome>;
  /**
   * The id of the chat with this address or nickname, where the text can be one on this network. Also called while
   * the network is not connected.
   */
  addressOf?(text: string): string | undefined;
  /**
   * Searches for a message whose `send` ended as `unknown`. `absent` means that it may be sent again. A thrown error counts
   * as `unknown`.
   */
  wasSent?(outgoing: Outgoing): Promise<LookOutcome>;
  /**
   * A page of the network's history, or `cursor-lost` if the network no longer accepts `from`. Called only between
   * `host.connected` and the end of `run`.
   */
  history?(request: HistoryRequest): Promise<HistoryPage | CursorLost>;
  /**
   * The content of an attachment. Called only between `host.connected` and the end of `run`. Throws when the connection
   * fails before the content begins; so does reading the content when it fails later, or exceeds `maxBytes`.
   */
  download?(attachment: Attachment, request: DownloadRequest): Promise<DownloadOutcome>;
  /** How much of the network's history was fetched, while that is going on; for networks without `history`. */
  progress?(): { done: number; total?: number } | undefined;
  /**
   * What does not work although the network is connected, such as rooms of the settings that could not be joined.
   * Sentences of ours for the user.
   */
  problems?(): readonly string[];
  /** More events wait to be stored than should: pause the network (true), or resume it (false). */
  hold?(isHeld: boolean): void;
}

/** The engine, as a connection sees it. */
export interface Host {
  /** The id of the source. */
  readonly source: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Stores events in this order, in batches. They are durable when this resolves: only then may the network forget
   * them. A connection need not wait: the engine ends it when an event could not be stored. Repeated events change
   * nothing. `position` is that of the last event in its timeline, from which missed events are fetched later.
   */
  accept(events: readonly InboundEvent[], position?: Position): Promise<void>;
  /**
   * Stores messages of the past that the network sends by itself, oldest first. Durable when this resolves, and repeated
   * events change nothing. Messages older than `history_days` are left out, and subscribers are not notified of each.
   */
  acceptHistory(events: readonly InboundEvent[]): Promise<void>;
  /**
   * The network is connected. For each of these timelines the engine now fetches what was missed, and then older
   * messages, by `history`. May be called again with timelines that were added later (a joined channel).
   */
  connected(timelines?: readonly Timeline[]): void;
  /**
   * The chats that messages with these ids of the network are stored in: for networks that report a deletion without
   * its chat. Accepted events count once they are durable.
   */
  find(messages: readonly string[]): Promise<readonly { chat: string; message: string }[]>;
  /** Values that persist across restarts, such as a cursor. Not encrypted. */
  readonly memory: Memory;
  /**
   * The same for values that give access, such as a token that the network issued. Encrypted, in one file for each
   * source.
   */
  readonly secrets: Secrets;
}

export interface Memory {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

/** Names are those of the secrets store: letters, digits and `_`, `.`, `-`. */
export interface Secrets {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/**
 * The steps of signing in. Each step is shown to the user, and the generator is resumed with the answer, which is empty
 * for a step without a question. The resulting credentials are stored in `host.secrets`.
 */
export type Login = AsyncGenerator<LoginStep, LoginEnd, string>;

export type LoginStep =
  /** A value that only the user has: a phone number, a code that was sent to them, a password. */
  | { kind: 'ask'; field: string; label: string; secret: boolean }
  /** Resumed immediately; the generator waits for the scan, and yields the next code when this one has expired. */
  | { kind: 'show-qr'; data: string; expiresAt: number };

/** `done` also if no step was needed. `reason` is written by us. */
export type LoginEnd = { kind: 'done' } | { kind: 'failed'; reason: string; cause?: unknown };

/** `not-revoked`: the network may still accept the deleted secrets. `reason` is written by us. */
export type LogoutEnd = { kind: 'done' } | Failure<'not-revoked'>;

/** `signal` is aborted when the user cancels, or when signing off takes too long. */
export type LoginHost = Pick<Host, 'source' | 'clock' | 'log' | 'memory' | 'secrets'> & { signal: AbortSignal };

/** A sequence of messages that can be paged through: the history of one chat, or of all chats of an account. */
export interface Timeline {
  /** Stable across restarts. */
  id: string;
  /** The chat, if it is the history of a single one. */
  chat?: string;
}

/** A position in a timeline. Only the connection can interpret the cursor. */
export interface Position {
  timeline: string;
  cursor: string;
}

export interface HistoryRequest {
  timeline: string;
  /** `older`: messages before `from`, or the newest ones without it. `newer`: messages after `from`. */
  direction: 'older' | 'newer';
  from?: string;
  limit: number;
  signal: AbortSignal;
}

export interface HistoryPage {
  kind: 'page';
  /** Oldest first in both directions. */
  events: readonly InboundEvent[];
  /** Cursors of the first and the last entry; missing if the page is empty. */
  oldest?: string;
  newest?: string;
  /** Whether there is nothing more in this direction. */
  end: boolean;
}

export interface DownloadRequest {
  maxBytes: number;
  signal: AbortSignal;
}

/** `size` if the network reports it. */
export type DownloadOutcome =
  | { kind: 'content'; content: AsyncIterable<Uint8Array>; mime?: string; size?: number }
  | { kind: 'too-large'; size: number }
  | Failure<'unavailable'>;

export interface Outgoing {
  /** Our id; a repeated message has the same one. */
  id: string;
  /** The network's id of the chat. */
  chat: string;
  text: string;
  /** The network's id of the message that is answered. */
  replyTo?: string;
  /** Whether the user certainly wrote it, for sources that speak for the user. */
  asPerson?: boolean;
  /** It cannot have been sent before this timestamp of our clock, in milliseconds. */
  since?: number;
}

export interface Sent {
  kind: 'sent';
  /** The network's id of the message, if it returns one. */
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

/** The message was certainly not sent. `retry`: it may work later. */
export type NotSent = Failure<'not-sent'> & { retry: boolean };

/** It is not known whether the message was sent. */
export type Unknown = Failure<'unknown'>;

export type SendOutcome = Sent | NotSent | Unknown;
export type LookOutcome = Sent | { kind: 'absent' } | Unknown;

/** A retry cannot succeed until a setting or the account changes: a wrong password, a banned account. */
export type Rejected = Failure<'rejected'>;

/** The network no longer accepts the cursor from which `history` should continue. */
export type CursorLost = Failure<'cursor-lost'>;
