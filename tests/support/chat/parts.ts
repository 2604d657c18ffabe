import type { Sources, SourceView } from '../../../src/chat/sources.ts';
import type { ChatType, InboundEvent, InboundMessage } from '../../../src/domain/chat.ts';
import { manualClock } from '../manual-clock.ts';
import { contextWith, silentLog } from '../operation-context.ts';
import { openStore } from '../store/open-store.ts';

export const NOW = Date.parse('2026-11-16T10:00:00Z');

interface Saying extends Partial<Omit<InboundMessage, 'chat' | 'sender'>> {
  source?: string;
  chat: string;
  chatId?: string;
  type?: ChatType;
  sender?: string;
}

/** The parts of chat on the real store, in memory, with sources defined by the test. */
export async function chatParts(sources: readonly (Partial<SourceView> & { id: string })[] = [{ id: 'telegram' }]) {
  const clock = manualClock(NOW);
  const store = await openStore({ url: 'sqlite::memory:', home: '', clock, log: silentLog });
  let count = 0;

  async function say({ source = 'telegram', origin = 'live', ...saying }: Saying & { origin?: 'live' | 'import' }) {
    count += 1;
    const event = toEvent(saying, String(count), NOW - 60_000 + count);
    await store.messages.record({ source, events: [event], origin });
  }

  const parts = contextWith({
    sources: fixedSources(sources.map(toSource)),
    chats: store.chats,
    messages: store.messages,
    events: store.events,
    listen: async (listener: Parameters<typeof store.events.listen>[0]) => store.events.listen(listener),
    clock,
  });
  return { ...parts, store, say, close: () => store.close() };
}

function fixedSources(sources: readonly SourceView[]): Sources {
  const all = async () => sources;
  return { list: all, describe: all, find: async (wanted) => sources.find(({ id }) => id === wanted) };
}

function toSource(source: Partial<SourceView> & { id: string }): SourceView {
  return {
    kind: 'webhook',
    name: source.id,
    isConnected: true,
    canStream: true,
    canSend: false,
    configuredIn: 'file',
    state: 'connected',
    howToConnect: `Run something for ${source.id}.`,
    everSynced: true,
    messages: 0,
    ...source,
  };
}

function toEvent(saying: Saying, id: string, at: number): InboundEvent {
  const { chat, chatId = chat, type = 'group', sender = 'Alice', ...rest } = saying;
  return {
    kind: 'message',
    message: {
      chat: { id: chatId, name: chat, type },
      sender: { id: sender, name: sender },
      text: '',
      id,
      at,
      ...rest,
    },
  };
}
