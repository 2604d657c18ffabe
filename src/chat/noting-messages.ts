import type { JsonObject } from '../domain/json.ts';
import type { ReadChat } from '../domain/read-chats.ts';
import type { MessageStore, StoredMessage } from './ports.ts';

type NotedChat = Omit<ReadChat, 'at'>;

/**
 * The messages for one call: it notes the chats in which the call gets text of other users, before it gets it. What the user
 * wrote does not count, nor does a count or the time of a message.
 */
export function notingMessages(
  messages: MessageStore,
  note: (chats: readonly NotedChat[]) => Promise<void>,
): MessageStore {
  async function noted<Messages extends readonly StoredMessage[]>(found: Messages): Promise<Messages> {
    await note(chatsOf(found));
    return found;
  }

  // Each method by its name: one that is added must decide, too.
  return {
    record: (batch) => messages.record(batch),
    participants: (chat, limit) => messages.participants(chat, limit),
    participantCount: (chat) => messages.participantCount(chat),
    timelines: (source) => messages.timelines(source),
    extent: (source, chat) => messages.extent(source, chat),
    forgetBefore: (source, moment) => messages.forgetBefore(source, moment),
    async find(filter, page) {
      const found = await messages.find(filter, page);
      await noted(found.messages);
      return found;
    },
    async byId(id) {
      const found = await messages.byId(id);
      if (found) await noted([found]);
      return found;
    },
    async byExternalId(chat, externalId) {
      const found = await messages.byExternalId(chat, externalId);
      if (found) await noted([found]);
      return found;
    },
    byExternalIds: async (chats, externalIds) => noted(await messages.byExternalIds(chats, externalIds)),
    around: async (id, before, after) => noted(await messages.around(id, before, after)),
    thread: async (id, limit) => noted(await messages.thread(id, limit)),
  };
}

/** The chat whose message an event contains, unless the user wrote it. */
export function readInEvent({ source, chat_id: chat, chat: name, own, content }: JsonObject): readonly NotedChat[] {
  if (own === true || typeof content !== 'string' || content === '') return [];
  if (typeof source !== 'string' || typeof chat !== 'string') return [];
  return [{ source, chat, name: typeof name === 'string' ? name : chat }];
}

function chatsOf(messages: readonly StoredMessage[]): readonly NotedChat[] {
  const chats = new Map<number, NotedChat>();
  for (const { isOwn, reactions = [], chat } of messages) {
    const isForeign = !isOwn || reactions.length > 0;
    if (isForeign && !chats.has(chat.key)) chats.set(chat.key, { source: chat.source, chat: chat.id, name: chat.name });
  }
  return [...chats.values()];
}
