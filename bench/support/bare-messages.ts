import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { InboundMessage } from '../../src/domain/chat.ts';
import { addToIndex, tokenizeMessage } from '../../src/storage/sqlite/chat/index-row.ts';
import { idAt } from '../../src/storage/sqlite/chat/message-ids.ts';
import type { Transaction } from '../../src/storage/sqlite/database.ts';
import { SHARED_MIGRATIONS } from '../../src/storage/sqlite/migrations/index.ts';

export interface BareMessages {
  /** Prepares everything that is not SQLite's work; the returned function only inserts the rows. */
  prepare(messages: readonly InboundMessage[]): () => void;
  close(): void;
}

/** The same table and full-text index, without id allocation, deduplication, chats, senders, substrings and events. */
export function openBareMessages(path: string): BareMessages {
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma synchronous = normal');
  for (const { sql } of SHARED_MIGRATIONS) db.exec(sql);
  // SQLite's default merging.
  db.exec(`insert into message_words (message_words, rank) values ('automerge', 4)`);
  const row = db.prepare(`
    insert into messages (id, chat, sender, external_id, at, own, content_type, text) values (?, ?, ?, ?, ?, 0, 'text', ?)`);
  const tx = { run: runnerOf(db) } as Transaction;
  let id = 0;
  return {
    prepare(messages) {
      const rows = messages.map(({ id: externalId, chat, sender, at, text }) => {
        id = Math.max(id + 1, idAt(at));
        const keys = {
          source: 1,
          chat: numberOf(chat.id),
          sender: numberOf(sender.id),
          at,
          contentType: 'text' as const,
        };
        return { id, externalId, text, keys, words: tokenizeMessage(text).words };
      });
      return () => {
        db.exec('begin immediate');
        for (const { id: own, externalId, text, keys } of rows) {
          row.run(own, keys.chat, keys.sender, externalId, keys.at, text);
        }
        for (const { id: own, keys, words } of rows) addToIndex(tx, own, keys, words);
        db.exec('commit');
      };
    },
    close: () => db.close(),
  };
}

function runnerOf(db: DatabaseSync): Transaction['run'] {
  const statements = new Map<string, StatementSync>();
  return (sql, ...values) => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return Number(statement.run(...values).changes);
  };
}

function numberOf(id: string): number {
  return Number(/\d+$/.exec(id)?.[0] ?? 0) + 1;
}
