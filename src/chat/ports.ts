import type { Attachment, ChatType, ContentType, InboundEvent, Sender } from '../domain/chat.ts';

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
  /** When something was last said in it. */
  lastMessageAt?: number;
}

/** Signs that people gave a message, with those who gave them. */
export interface Reaction {
  sign: string;
  senders: readonly string[];
}

export interface StoredMessage {
  /** Ours. Ids grow with time: sorted by number they are in the order in which things were said. */
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
  /** The message this one answers: our id where it is known. */
  replyTo?: string;
  editedAt?: number;
  /** Deleted on its network: its text and attachments are gone. */
  deletedAt?: number;
  attachments?: readonly Attachment[];
  reactions?: readonly Reaction[];
}

/**
 * How text is looked for. `words`: all of these as whole words. `prefixes`: all of these as the beginnings of words.
 * `part`: the text itself, anywhere. Case and accents do not count.
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
}

export interface PageRequest {
  limit: number;
  /** Only what is older (`before`) or newer (`after`) than this message of ours. */
  beforeId?: string;
  afterId?: string;
  /** Skips this many of what is left. */
  offset?: number;
}

export interface MessagePage {
  /** Newest first. Fewer than asked for where they are very long. */
  messages: readonly StoredMessage[];
  /** Whether there are older ones that fit. */
  hasMore: boolean;
}

/** How a batch reached us; what happens live is told to subscribers, one by one. */
export interface Batch {
  source: string;
  /** In the order in which it happened. */
  events: readonly InboundEvent[];
  /**
   * `live`: it has just happened. `newer`, `older`: history, read forward or backward, so that messages of one moment keep
   * their order at the seams. `import`: read from a file, forward.
   */
  origin: 'live' | 'newer' | 'older' | 'import';
  /** History from this moment on was missed: it is told of like what has just happened. */
  missedSince?: number;
  /** Saved in the same transaction: how far the timelines are known. */
  timeline?: TimelineChange;
}

export interface Recorded {
  /** Messages that were not known before. */
  added: number;
  /** Messages that were known and have changed. */
  changed: number;
  /** What was known already and is the same. */
  known: number;
}

/** How much of a timeline is known. */
export interface TimelineState {
  id: string;
  /** Where catching up begins next time. */
  newest?: string;
  /** Where older messages go on. */
  oldest?: string;
  /** Everything the network has is here. */
  complete: boolean;
  chat?: string;
}

/** What has come to be known of a timeline; what it does not say stays as it was. */
export type TimelineChange = Pick<TimelineState, 'id'> & Partial<TimelineState>;

/** The messages of all sources. What a method records is one fact, with its event, on disk when it resolves. */
export interface MessageStore {
  record(batch: Batch): Promise<Recorded>;
  find(filter: MessageFilter, page: PageRequest): Promise<MessagePage>;
  byId(id: string): Promise<StoredMessage | undefined>;
  byExternalId(chat: number, externalId: string): Promise<StoredMessage | undefined>;
  /** Those of these ids that are in one of these chats, oldest first. */
  byExternalIds(chats: readonly number[], externalIds: readonly string[]): Promise<readonly StoredMessage[]>;
  /** The message, and up to this many before and after it in its chat; oldest first. */
  around(id: string, before: number, after: number): Promise<readonly StoredMessage[]>;
  /** The messages that this one answers, up to where it began, and all answers below; oldest first, at most `limit`. */
  thread(id: string, limit: number): Promise<readonly StoredMessage[]>;
  /** Who has written in a chat, most active first. */
  participants(chat: number, limit: number): Promise<readonly (Sender & { messages: number })[]>;
  timelines(source: string): Promise<readonly TimelineState[]>;
  /** Moments of the oldest and the newest message, and how many there are. */
  extent(source: string, chat?: number): Promise<{ count: number; oldest?: number; newest?: number }>;
  /** Forgets messages from before the moment, a part at a time; gives how many went. */
  forgetBefore(source: string, moment: number): Promise<number>;
}

export interface ChatFilter {
  type?: ChatType;
  /** A part of the name; case and accents do not count. */
  name?: string;
  /** Something was said since this moment. */
  activeSince?: number;
}

export interface ChatStore {
  /** Most recently active first. `after` is a cursor of an earlier page. */
  list(source: string, filter: ChatFilter, page: { limit: number; after?: string }): Promise<ChatPage>;
  /** By the network's id; else by the exact name; else by a part of it. Several where the name fits several. */
  resolve(sources: readonly string[] | undefined, wanted: string): Promise<readonly StoredChat[]>;
  byKey(key: number): Promise<StoredChat | undefined>;
}

export interface ChatPage {
  chats: readonly StoredChat[];
  next?: string;
}

/** A source that was added by a command: an import, a webhook. What the configuration file names is not here. */
export interface SourceRow {
  id: string;
  kind: string;
  name: string;
  settings: Record<string, string | number | boolean>;
  createdAt: number;
}

export interface SourceRepository {
  list(): Promise<readonly SourceRow[]>;
  /** Fails with CONFLICT where the id is taken. */
  add(row: SourceRow): Promise<void>;
  /** Sources of which there are messages or chats, whether or not they are configured. */
  withData(): Promise<readonly string[]>;
  /** Removes the row alone: nobody finds the source any more, and what came from it is still there. */
  unlist(id: string): Promise<void>;
  /** Removes the row and all that came from the source, a part at a time; gives how many messages went. */
  remove(id: string, progress?: (done: number, total: number) => void): Promise<number>;
  /** What a connection remembers across restarts. */
  recall(source: string, key: string): Promise<string | undefined>;
  remember(source: string, key: string, value: string): Promise<void>;
}

/** What chat keeps in the store. */
export interface ChatStores {
  messages: MessageStore;
  chats: ChatStore;
  sources: SourceRepository;
}
