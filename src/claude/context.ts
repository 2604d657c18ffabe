import type { Conversation } from '../domain/conversation.ts';
import type { Clock } from '../lib/clock.ts';
import type { ClaudeApi } from './api/request.ts';
import type { Models } from './models.ts';
import type { ClaudeSettings } from './settings.ts';
import type { Turns } from './turn/turns.ts';
import type { VisibleConversations } from './visible-conversations.ts';

/** The dependencies of the operations on conversations. */
export interface ClaudeContext {
  /** Those that the caller may see. */
  conversations: VisibleConversations;
  turns: Turns;
  models: Models;
  api(): Promise<ClaudeApi>;
  settings(): Promise<ClaudeSettings>;
  clock: Clock;
  /** What the caller says may come from what it has read: that counts for the conversation, too. */
  tellConversation(conversation: Conversation): Promise<void>;
  /** The same in the other direction. */
  hearConversation(conversation: Conversation): Promise<void>;
  /** The same for a conversation that begins as a copy of another one. */
  shareReads(from: Conversation, to: Conversation): Promise<void>;
}
