import type { Conversation, ConversationEvent } from '../domain/conversation.ts';
import type { ConversationMessage } from '../domain/conversation-message.ts';
import type { ConversationId } from '../domain/ids.ts';

export interface ConversationFilter {
  status?: Conversation['status'];
  /** Only those of this identity. */
  identity?: string;
  /** Only those whose title contains this. */
  title?: string;
  /** Only those that changed before this one, as `list` ordered them. */
  after?: { changedAt: number; id: ConversationId };
  /** Default 1,000. */
  limit?: number;
}

/** A message that a search found. */
export interface FoundMessage {
  conversation: Conversation;
  message: ConversationMessage;
}

export interface ConversationRepository {
  /**
   * The new state, the messages in its events and the events themselves, in one transaction. Throws CONFLICT where the stored
   * conversation is not the one that the events follow.
   */
  save(conversation: Conversation, events: readonly ConversationEvent[]): Promise<void>;
  find(id: ConversationId): Promise<Conversation | undefined>;
  delete(id: ConversationId): Promise<boolean>;
  /** The one that changed last is first. */
  list(filter?: ConversationFilter): Promise<readonly Conversation[]>;
  /** In their order. `before` and `limit` give the newest ones below a number; all without them. */
  messages(id: ConversationId, page?: { before?: number; limit?: number }): Promise<readonly ConversationMessage[]>;
  /** The message that a client sent under an id of its own. */
  sentAs(id: ConversationId, clientId: string): Promise<ConversationMessage | undefined>;
  /** Messages that contain all the words; newest first. */
  search(query: string, filter?: { identity?: string; limit?: number }): Promise<readonly FoundMessage[]>;
  /** The identity that each conversation belongs to. */
  identities(): Promise<ReadonlyMap<string, string>>;
  /** Conversations whose turn was running when the process ended. */
  running(): Promise<readonly Conversation[]>;
}

/** The repositories of conversations in the store. */
export interface ClaudeStores {
  conversations: ConversationRepository;
}
