import type { Transaction } from '../database.ts';

/**
 * Message count of each chat and of its source, and time of the last message per chat. They are kept while messages are stored,
 * because counting later is slow. All chats are of the same source.
 */
export interface ChatCounters {
  add(chat: number, at: number): void;
  remove(chat: number): void;
  save(tx: Transaction): void;
}

export function createChatCounters(): ChatCounters {
  const chats = new Map<number, { messages: number; lastAt: number }>();

  function count(chat: number, messages: number, at: number): void {
    const known = chats.get(chat) ?? { messages: 0, lastAt: -1 };
    chats.set(chat, { messages: known.messages + messages, lastAt: Math.max(known.lastAt, at) });
  }

  return {
    add: (chat, at) => count(chat, 1, at),
    remove: (chat) => count(chat, -1, -1),
    save(tx) {
      const sql = 'update chats set messages = messages + ?, last_at = max(last_at, ?) where key = ?';
      let [total, any] = [0, -1];
      for (const [key, { messages, lastAt }] of chats) {
        tx.run(sql, messages, lastAt, key);
        total += messages;
        any = key;
      }
      if (total !== 0) tx.run(SOURCE, total, any);
    },
  };
}

const SOURCE = 'update chat_sources set messages = messages + ? where key = (select source from chats where key = ?)';
