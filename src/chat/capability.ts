import type { Clock } from '../lib/clock.ts';
import type { Capability } from '../operation.ts';
import { postMessages } from './operations/post-messages.ts';
import { removeSource } from './operations/remove-source.ts';
import type { ChatStore, MessageStore, SourceBook } from './ports.ts';
import type { Sources } from './sources.ts';
import type { Webhooks } from './webhook.ts';

export interface ChatParts {
  sources: Sources;
  chats: ChatStore;
  messages: MessageStore;
  book: SourceBook;
  webhooks: Webhooks;
  clock: Clock;
  /** The list of sources has changed. */
  reloadSources(): Promise<void>;
}

/** People's conversations on every network. */
export function chatCapability(parts: ChatParts, work: ChatWork): Capability {
  return {
    name: 'chat',
    invalidInput: 'INVALID_PARAMETER',
    operations: [postMessages, removeSource],
    parts,
    ...work,
  };
}

/** What goes on beside the calls, in the process that owns the home. */
export interface ChatWork {
  start(): Promise<void>;
  stop(): Promise<void>;
  isBusy(): boolean;
  reconfigured(): Promise<void>;
}
