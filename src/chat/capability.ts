import { defineCapability } from '../capability.ts';
import type { Principal } from '../domain/principal.ts';
import type { SourceDefinition } from './engine/definition.ts';
import { type ChatOptions, openChat } from './open-chat.ts';
import type { ChatStore, ChatStores, MessageStore } from './ports.ts';
import type { ChatSettings } from './settings.ts';
import { chatStore } from './store.ts';

/** What chat offers other capabilities. */
export interface ChatService {
  messages: MessageStore;
  chats: ChatStore;
  sources: {
    provide(source: ProvidedSource): void;
    /** A provided source may exist now: it is opened if it was not before. */
    appeared(id: string): Promise<void>;
  };
}

/** A source that another capability provides. */
export interface ProvidedSource {
  id: string;
  /** Whether a principal that may read chats may read this source too. */
  mayRead(principal: Principal): boolean;
  /** Undefined while it is empty. */
  definition(): Promise<SourceDefinition | undefined>;
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
