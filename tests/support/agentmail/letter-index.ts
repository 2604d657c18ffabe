import { createLetterIndex, type LetterIndexParts } from '../../../src/agentmail/indexer/letter-index.ts';
import type { LetterIndex } from '../../../src/agentmail/ports.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Store } from '../store/open-store.ts';

/** The index of letters on a store, as the program creates it; `parts` replaces some dependencies. */
export function letterIndexOf(store: Store, parts: Partial<LetterIndexParts> = {}): LetterIndex {
  const { agentmail, messages, chats, events } = store;
  return createLetterIndex({
    ...agentmail,
    messages,
    chats,
    events,
    clock: systemClock,
    onMail: async () => {},
    ...parts,
  });
}
