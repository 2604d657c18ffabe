import { afterEach, beforeEach } from 'node:test';
import type { Sources, SourceView } from '../../../src/chat/sources.ts';
import { manualClock } from '../manual-clock.ts';
import { silentLog } from '../operation-context.ts';
import type { Store } from '../store/open-store.ts';
import { openStore } from '../store/open-store.ts';

/** A store in memory, new for each test, and a list of sources that the test adds. */
export function chatStore() {
  const clock = manualClock();
  const listed: SourceView[] = [];
  let store: Store | undefined;
  beforeEach(async () => {
    listed.length = 0;
    store = await openStore({ url: 'sqlite::memory:', home: '', clock, log: silentLog });
  });
  afterEach(() => store?.close());
  const sources: Sources = {
    list: async () => listed,
    describe: async () => listed,
    find: async (id) => listed.find((source) => source.id === id),
  };
  return {
    clock,
    sources,
    store(): Store {
      if (!store) throw new Error('only within a test');
      return store;
    },
    /** Adds a source, connected unless `source` differs. */
    addSource(id: string, source: Partial<SourceView> = {}): void {
      listed.push({
        id,
        kind: 'webhook',
        name: id,
        isConnected: true,
        canStream: true,
        canSend: false,
        configuredIn: 'file',
        state: 'ready',
        howToConnect: 'Post messages to it.',
        everSynced: true,
        messages: 0,
        ...source,
      });
    },
  };
}
