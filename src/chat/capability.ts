import { defineCapability } from '../capability.ts';
import type { Principal } from '../domain/principal.ts';
import type { OperationContext } from '../operation.ts';
import type { SourceDefinition } from './engine/definition.ts';
import { type ChatOptions, openChat } from './open-chat.ts';
import type { ChatStore, ChatStores, MessageStore } from './ports.ts';
import type { ChatSettings } from './settings.ts';
import type { SourceView } from './sources.ts';
import { chatStore } from './store.ts';

/** What chat offers other capabilities. */
export interface ChatService {
  messages: MessageStore;
  chats: ChatStore;
  sources: {
    provide(provider: SourceProvider): void;
    /** A provided source may exist now: it is opened if it was not before. */
    appeared(id: string): Promise<void>;
    /** The provided sources have changed. */
    changed(): Promise<void>;
    /** The state of a source; undefined if there is none with this id. */
    find(id: string): Promise<SourceView | undefined>;
    /** Resolves when all sources are started, which is done at once if somebody waits for it. Without a daemon they are not. */
    started(): Promise<void>;
    /** Connects a source, or disconnects it until it is connected again, and waits a while for the result. */
    sign(id: string, direction: 'on' | 'off'): Promise<void>;
    /** Removes a source with its messages. Returns how many messages were deleted. */
    remove(id: string, progress?: (done: number, total: number) => void): Promise<number>;
  };
  /** What a caller may read, limited by its grants; what it reads is noted for the outbox. */
  readableBy(principal: Principal, context: OperationContext): Pick<ChatStores, 'messages' | 'chats'>;
}

/** Sources that another capability provides. */
export interface SourceProvider {
  /** Whether this is or was the id of such a source. */
  owns(id: string): boolean;
  /** Whether a principal that may read chats may read these sources too. */
  mayRead(principal: Principal): boolean;
  definitions(): Promise<readonly SourceDefinition[]>;
}

declare module '../capability.ts' {
  interface Services {
    chat: ChatService;
  }
}

/** People's conversations on every network. */
export function chat(options: ChatOptions) {
  return defineCapability<ChatStores, ChatSettings>({
    name: 'chat',
    invalidInput: 'INVALID_PARAMETER',
    async config() {
      const [{ chatConfig }, kinds] = await Promise.all([import('./settings.ts'), options.kinds()]);
      return { config: chatConfig(kinds) };
    },
    async probes() {
      const [{ sourcesProbe }, { namesProbe }, kinds] = await Promise.all([
        import('./probe.ts'),
        import('./names-probe.ts'),
        options.kinds(),
      ]);
      return [sourcesProbe(kinds), namesProbe];
    },
    store: chatStore,
    open: (parts) => openChat(options, parts),
  });
}
