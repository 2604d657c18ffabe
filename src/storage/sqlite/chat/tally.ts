import type { Transaction } from '../database.ts';

/** How much was said in each chat, when last, and by whom: counted as it is stored, since counting it later takes long. */
export interface Tally {
  add(chat: number, sender: number, at: number): void;
  remove(chat: number, sender: number): void;
  save(tx: Transaction): void;
}

export function createTally(): Tally {
  const chats = new Map<number, { messages: number; lastAt: number }>();
  const senders = new Map<number, Map<number, number>>();

  function count(chat: number, sender: number, messages: number, at: number): void {
    const known = chats.get(chat) ?? { messages: 0, lastAt: -1 };
    chats.set(chat, { messages: known.messages + messages, lastAt: Math.max(known.lastAt, at) });
    const counts = senders.get(chat) ?? new Map<number, number>();
    counts.set(sender, (counts.get(sender) ?? 0) + messages);
    senders.set(chat, counts);
  }

  return {
    add: (chat, sender, at) => count(chat, sender, 1, at),
    remove: (chat, sender) => count(chat, sender, -1, -1),
    save(tx) {
      for (const [key, { messages, lastAt }] of chats) {
        tx.run(
          'update chats set messages = messages + ?, last_at = max(last_at, ?) where key = ?',
          messages,
          lastAt,
          key,
        );
      }
      for (const [chat, counts] of senders)
        for (const [sender, messages] of counts) saveCount(tx, chat, sender, messages);
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
  if (messages < 0)
    tx.run('delete from chat_participants where chat = ? and sender = ? and messages <= 0', chat, sender);
}
