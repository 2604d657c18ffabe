import type { Transaction } from '../database.ts';

/** How much was said in each chat, by whom, and when last: counted as it is stored, since counting it later takes long. */
export interface Tally {
  add(chat: number, sender: number, at: number): void;
  remove(chat: number, sender: number): void;
  save(tx: Transaction): void;
}

interface ChatTally {
  messages: number;
  lastAt: number;
  bySender: Map<number, number>;
}

export function createTally(): Tally {
  const chats = new Map<number, ChatTally>();

  function count(chat: number, sender: number, messages: number, at: number): void {
    const known = chats.get(chat) ?? { messages: 0, lastAt: -1, bySender: new Map<number, number>() };
    known.messages += messages;
    known.lastAt = Math.max(known.lastAt, at);
    known.bySender.set(sender, (known.bySender.get(sender) ?? 0) + messages);
    chats.set(chat, known);
  }

  return {
    add: (chat, sender, at) => count(chat, sender, 1, at),
    remove: (chat, sender) => count(chat, sender, -1, -1),
    save(tx) {
      const sql = 'update chats set messages = messages + ?, last_at = max(last_at, ?) where key = ?';
      for (const [chat, { messages, lastAt, bySender }] of chats) {
        tx.run(sql, messages, lastAt, chat);
        for (const [sender, count] of bySender) saveCount(tx, chat, sender, count);
      }
    },
  };
}

function saveCount(tx: Transaction, chat: number, sender: number, messages: number): void {
  tx.run(
    `insert into chat_participants (chat, sender, messages) values (?, ?, ?)
     on conflict (chat, sender) do update set messages = messages + excluded.messages`,
    chat,
    sender,
    messages,
  );
  if (messages < 0) {
    tx.run('delete from chat_participants where chat = ? and sender = ? and messages <= 0', chat, sender);
  }
}
