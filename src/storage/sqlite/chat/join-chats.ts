import type { ContentType } from '../../../domain/chat.ts';
import type { Transaction } from '../database.ts';
import { createChatCounters } from './chat-counters.ts';
import { replaceInIndex, tokenizeMessage } from './index-row.ts';
import { parseExtra } from './rows.ts';

interface MovedRow {
  id: number;
  sender: number;
  at: number;
  content_type: ContentType;
  text: string;
  extra: string | null;
}

/** More messages are not moved in one transaction: both conversations remain. */
const MAX_MOVED = 500;

/** Moves all messages of a chat into another one of the same source and removes it. Returns whether it did. */
export function joinChats(tx: Transaction, source: number, from: number, to: number): boolean {
  const rows = tx.all<MovedRow>(
    'select id, sender, at, content_type, text, extra from messages where chat = ? limit ?',
    from,
    MAX_MOVED + 1,
  );
  if (rows.length > MAX_MOVED) return false;
  const counters = createChatCounters();
  tx.run('update or ignore messages set chat = ? where chat = ?', to, from);
  for (const { id, sender, at, content_type: contentType, text, extra } of rows) {
    const { words } = tokenizeMessage(text, parseExtra(extra));
    replaceInIndex(tx, id, { source, chat: to, sender, at, contentType }, words);
    counters.add(to, at);
    counters.remove(from);
  }
  counters.save(tx);
  tx.run('delete from chats where key = ?', from);
  return true;
}
