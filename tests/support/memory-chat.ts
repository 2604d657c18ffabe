import type {
  ChatStore,
  MessageStore,
  SourceBook,
  StoredChat,
  StoredMessage,
  TimelineState,
} from '../../src/chat/ports.ts';

/** Messages in memory, as far as the contract suite needs them. */
export function memoryChat() {
  const chats = new Map<string, StoredChat>();
  const messages = new Map<string, StoredMessage>();
  const timelines = new Map<string, TimelineState>();
  const memory = new Map<string, string>();
  let keys = 0;
  let ids = 0;
  let lowest = 0;
  const chatOf = (source: string, id: string) => {
    const chat = chats.get(id) ?? { key: ++keys, source, id, name: id, type: 'group' as const };
    chats.set(id, chat);
    return chat;
  };
  const store: Pick<MessageStore, 'record' | 'timelines' | 'extent' | 'find'> = {
    async record({ source, events, timeline, origin }) {
      let added = 0;
      if (origin === 'older') lowest -= events.length;
      for (const [index, event] of events.entries()) {
        if (event.kind === 'chat') Object.assign(chatOf(source, event.chat.id), event.chat);
        if (event.kind === 'message') {
          const { chat, id, replyTo, ...rest } = event.message;
          const stored = Object.assign(chatOf(source, chat.id), chat);
          const key = `${chat.id} ${id}`;
          if (messages.has(key)) continue;
          added++;
          const answered = messages.get(`${chat.id} ${replyTo}`)?.id;
          messages.set(key, {
            contentType: 'text',
            isOwn: false,
            ...rest,
            id: String(origin === 'older' ? lowest + index : ++ids),
            source,
            chat: stored,
            externalId: id,
            ...(answered ? { replyTo: answered } : {}),
          });
        }
        if (event.kind === 'delete') {
          const found = messages.get(`${event.chat} ${event.message}`);
          if (found) Object.assign(found, { text: '', deletedAt: event.at });
        }
        if (event.kind === 'reaction') {
          const found = messages.get(`${event.chat} ${event.message}`);
          if (found) found.reactions = event.removed ? [] : [{ sign: event.sign, senders: [event.sender.id] }];
        }
      }
      if (timeline) timelines.set(timeline.id, timeline);
      return { added, changed: 0, known: 0 };
    },
    timelines: async () => [...timelines.values()],
    extent: async (_, chat) => ({
      count: [...messages.values()].filter((m) => chat === undefined || m.chat.key === chat).length,
    }),
    async find({ chats: wanted }, { limit, beforeId }) {
      const all = [...messages.values()]
        .filter((m) => wanted === undefined || wanted.includes(m.chat.key))
        .sort((a, b) => b.at - a.at || Number(b.id) - Number(a.id));
      if (beforeId) all.splice(0, all.findIndex(({ id }) => id === beforeId) + 1);
      return { messages: all.slice(0, limit), hasMore: all.length > limit };
    },
  };
  const directory: Pick<ChatStore, 'resolve'> = {
    resolve: async (_, wanted) => [...chats.values()].filter(({ id }) => id === wanted),
  };
  const book: Pick<SourceBook, 'recall' | 'remember'> = {
    recall: async (_, key) => memory.get(key),
    remember: async (_, key, value) => void memory.set(key, value),
  };
  return { messages: store as MessageStore, chats: directory as ChatStore, book, close: async () => {} };
}
