import type { Attachment, ChatType, ContentType, InboundEvent, Sender } from '../domain/chat.ts';
import type { MailHeaders } from '../domain/email.ts';
import type { IndexedText } from '../domain/indexed-text.ts';
import type { SearchQuery } from '../domain/search-query/query.ts';

/** A chat as it is stored. */
export interface StoredChat {
  /** The store's own number for it. */
  key: number;
  source: string;
  /** The network's id. */
  id: string;
  name: string;
  type: ChatType;
  participantCount?: number;
  /** Timestamp of its last message. */
  lastMessageAt?: number;
}

/** Reactions to a message, with their senders. */
export interface Reaction {
  sign: string;
  senders: readonly string[];
}

export interface StoredMessage {
  /** Our id. Ids grow with time: sorted by number, messages are in chronological order. */
  id: string;
  source: string;
  chat: StoredChat;
  /** The network's id. */
  externalId: string;
  sender: Sender;
  isOwn: boolean;
  text: string;
  contentType: ContentType;
  at: number;
  /** The message this one replies to: our id, if known. */
  replyTo?: string;
  editedAt?: number;
  /** Deleted on its network: its text and attachments were removed. */
  deletedAt?: number;
  attachments?: readonly Attachment[];
  reactions?: readonly Reaction[];
  /** Set if it is an email. */
  mail?: MailHeaders;
}

/**
 * How text is matched. `words`: all of these as whole words. `prefixes`: all of these as beginnings of words. `part`:
 * the text itself, anywhere. Case and accents are ignored.
 */
export interface TextQuery {
  kind: 'words' | 'prefixes' | 'part';
  text: string;
}

export interface MessageFilter {
  sources?: readonly string[];
  /** Keys of chats: only in one of these. An empty list finds nothing. */
  chats?: readonly number[];
  /** Inclusive, milliseconds. */
  since?: number;
  /** Exclusive, milliseconds. */
  before?: number;
  /** The sender's id, or a part of the name. */
  sender?: string;
  /** Written by the sender of exactly this id, or in a chat of exactly this name. */
  involving?: string;
  text?: TextQuery;
  contentTypes?: readonly ContentType[];
  /** Beside the other conditions: it narrows what they find, and never widens it. */
  query?: SearchQuery;
  /**
   * Words and phrases are matched without the signs in them, unless this is set. `only`: as they were typed; the newest
   * candidates are examined, at most `maxExamined`. `except`: not as they were typed, for messages with the id `from` or a higher
   * one; all older messages fit. `known` are the ids of all messages that are left out, if the caller has found them before.
   */
  typed?: { kind: 'only'; maxExamined?: number } | { kind: 'except'; from: string; known?: readonly string[] };
  /** Leaves out emails that are only in the trash or among junk, unless the query asks for such a folder. */
  skipDiscarded?: boolean;
}

export interface PageRequest {
  limit: number;
  /** Only messages older (`before`) or newer (`after`) than the one with this id of ours. */
  beforeId?: string;
  afterId?: string;
  /** Skips this many of the results. */
  offset?: number;
  /** Of the newest matches, those first that fit best; default: newest first. */
  sort?: 'relevance';
}

export interface MessagePage {
  /** Newest first, unless they are sorted. Fewer than requested if messages are very long. */
  messages: readonly StoredMessage[];
  /** Whether there are further matches. */
  hasMore: boolean;
  /** Set if only the newest candidates were examined for what was typed: the oldest of them. */
  examinedFrom?: string;
  /** How well each message fits, if they are sorted by relevance. */
  scores?: readonly number[];
}

/** Events to record together. Live ones are sent to subscribers one by one. */
export interface Batch {
  source: string;
  /** In chronological order. */
  events: readonly InboundEvent[];
  /**
   * `live`: just happened. `newer`, `older`: history, read forward or backward, so that messages with the same
   * timestamp keep their order across pages. `import`: read forward from a file.
   */
  origin: 'live' | 'newer' | 'older' | 'import';
  /** History from this timestamp on was missed: subscribers are notified of it as of live messages. */
  missedSince?: number;
  /** Saved in the same transaction: how far the timelines are stored. */
  timeline?: TimelineChange;
}

export interface Recorded {
  /** New messages. */
  added: number;
  /** Stored messages that have changed. */
  changed: number;
  /** Stored messages that are unchanged. */
  known: number;
}

export interface RecordedArchive extends Recorded {
  /** Keys of the chats that the events are of. */
  chats: readonly number[];
}

/** How much of a timeline is stored. */
export interface TimelineState {
  id: string;
  /** Cursor from which the next connection catches up. */
  newest?: string;
  /** Cursor from which older messages are read. */
  oldest?: string;
  /** Whether everything the network has is stored. */
  complete: boolean;
  chat?: string;
}

/** What is stored of a source or a chat. */
export interface Extent {
  count: number;
  /** Timestamps of the oldest and the newest message. */
  oldest?: number;
  newest?: number;
  /** Of a source with history to fetch: whether all of it is stored. */
  isComplete?: boolean;
}

/** A change of a timeline; missing fields are unchanged. */
export type TimelineChange = Pick<TimelineState, 'id'> & Partial<TimelineState>;

/**
 * The messages of all sources. Each method is one transaction, which includes its events, and is durable when it
 * resolves.
 */
export interface MessageStore {
  record(batch: Batch): Promise<Recorded>;
  find(filter: MessageFilter, page: PageRequest): Promise<MessagePage>;
  byId(id: string): Promise<StoredMessage | undefined>;
  byExternalId(chat: number, externalId: string): Promise<StoredMessage | undefined>;
  /** The messages with these ids in one of these chats, oldest first. */
  byExternalIds(chats: readonly number[], externalIds: readonly string[]): Promise<readonly StoredMessage[]>;
  /** The message, and up to this many before and after it in its chat; oldest first. */
  around(id: string, before: number, after: number): Promise<readonly StoredMessage[]>;
  /** The messages that this one replies to, up to the first, and all replies to them; oldest first, at most `limit`. */
  thread(id: string, limit: number): Promise<readonly StoredMessage[]>;
  /** Senders of a chat, most active first. */
  participants(chat: number, limit: number): Promise<readonly (Sender & { messages: number })[]>;
  /** How many people have written in a chat. */
  participantCount(chat: number): Promise<number>;
  timelines(source: string): Promise<readonly TimelineState[]>;
  extent(source: string, chat?: number): Promise<Extent>;
  /** Deletes messages older than the timestamp, in batches; returns how many. */
  forgetBefore(source: string, moment: number): Promise<number>;
}

export interface ChatFilter {
  type?: ChatType;
  /** A part of the name; case and accents are ignored. */
  name?: string;
  /** Only chats with a message since this timestamp. */
  activeSince?: number;
}

export interface ChatStore {
  /** Most recently active first. `after` is a cursor of an earlier page. */
  list(source: string, filter: ChatFilter, page: { limit: number; after?: string }): Promise<ChatPage>;
  /** By the network's id, else by the exact name, else by a part of it. Several if several match. */
  resolve(sources: readonly string[] | undefined, wanted: string): Promise<readonly StoredChat[]>;
  /** The chats with this whole name, regardless of case and accents: in all sources, or in one. */
  named(name: string, source?: string): Promise<readonly StoredChat[]>;
  byKey(key: number): Promise<StoredChat | undefined>;
}

export interface ChatPage {
  chats: readonly StoredChat[];
  next?: string;
}

/** A source that was added by a command: an import, a webhook. Sources of the configuration file are not here. */
export interface SourceRow {
  id: string;
  kind: string;
  name: string;
  settings: Record<string, string | number | boolean>;
  createdAt: number;
}

export interface SourceRepository {
  list(): Promise<readonly SourceRow[]>;
  /** Fails with CONFLICT if the id exists. */
  add(row: SourceRow): Promise<void>;
  /** Sources that have messages or chats, configured or not. */
  withData(): Promise<readonly string[]>;
  /** Removes the row only: the source is no longer found, but its messages are retained. */
  unlist(id: string): Promise<void>;
  /** Removes the row and all messages of the source, in batches; returns how many messages were deleted. */
  remove(id: string, progress?: (done: number, total: number) => void): Promise<number>;
  /** The chats of a source that have messages with these ids of the network. */
  find(source: string, messages: readonly string[]): Promise<readonly { chat: string; message: string }[]>;
  /** Values of a connection that persist across restarts. */
  recall(source: string, key: string): Promise<string | undefined>;
  remember(source: string, key: string, value: string): Promise<void>;
}

/** What messages are found by. */
export interface SearchIndex {
  /**
   * Does in batches what storing messages leaves to be done, and brings the index of an earlier version up to date. Returns how many
   * messages were indexed again because of that.
   */
  update(signal?: AbortSignal): Promise<number>;
}

/**
 * Stores archives. What it has recorded survives a killed process, but a power loss only after `finish`: the archive can be read
 * again.
 */
export interface ArchiveStore {
  /** `texts` are the words of each event, where another thread has split them. */
  record(source: string, events: readonly InboundEvent[], texts?: readonly IndexedText[]): Promise<RecordedArchive>;
  /** Makes everything durable and searches on it fast. */
  finish(): Promise<void>;
}

/** The repositories of chat in the store. */
export interface ChatStores {
  messages: MessageStore;
  archives: ArchiveStore;
  chats: ChatStore;
  sources: SourceRepository;
  searchIndex: SearchIndex;
}
