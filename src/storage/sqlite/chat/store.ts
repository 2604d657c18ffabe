import type { ChatStores } from '../../../chat/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createArchiveStore } from './archive-store.ts';
import { createChatStore } from './chats.ts';
import { createMessageStore } from './messages.ts';
import { createSearchIndex } from './search-index.ts';
import { createSourceRepository } from './sources.ts';

export function open({ db, clock }: SqliteParts): ChatStores {
  return {
    messages: createMessageStore(db, clock),
    archives: createArchiveStore(db, clock),
    chats: createChatStore(db),
    sources: createSourceRepository(db),
    searchIndex: createSearchIndex(db),
  };
}
