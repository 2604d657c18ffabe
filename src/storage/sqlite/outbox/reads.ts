import { MANY_CHATS, MAX_READ_CHATS, type ReadChat } from '../../../domain/read-chats.ts';
import type { ReadStore } from '../../../outbox/ports.ts';
import type { Database, Transaction } from '../database.ts';

/** A power loss ends the session, too; the end of this process does not. */
const NOT_DURABLE = { durable: false };

export function createReadStore(db: Database): ReadStore {
  return {
    add: (session, reads) => db.write((tx) => addAll(tx, session, reads), NOT_DURABLE),
    list: (session) =>
      db.read((reader) =>
        reader
          .all<ReadChat>(
            `select source, chat, name, first_at as at from session_reads
             where session = ? order by first_at, source, chat`,
            session,
          )
          .map((row) => ({ ...row })),
      ),
    clear: (session, until) =>
      db.write((tx) => {
        tx.run('delete from session_reads where session = ? and last_at <= ?', session, until);
        // Read again since then: that still counts.
        tx.run('update session_reads set first_at = last_at where session = ?', session);
      }),
    forget: (before) => db.write((tx) => tx.run('delete from session_reads where last_at < ?', before)),
  };
}

function addAll(tx: Transaction, session: string, reads: readonly ReadChat[]): void {
  for (const read of reads) add(tx, session, read);
  const { count } = tx.get<{ count: number }>(
    'select count(*) as count from session_reads where session = ?',
    session,
  ) ?? { count: 0 };
  if (count <= MAX_READ_CHATS) return;
  const { first, last } = tx.get<{ first: number; last: number }>(
    'select min(first_at) as first, max(last_at) as last from session_reads where session = ?',
    session,
  ) ?? { first: 0, last: 0 };
  tx.run('delete from session_reads where session = ?', session);
  add(tx, session, { ...MANY_CHATS, at: first });
  add(tx, session, { ...MANY_CHATS, at: last });
}

function add(tx: Transaction, session: string, { source, chat, name, at }: ReadChat): void {
  tx.run(
    `insert into session_reads (session, source, chat, name, first_at, last_at) values (?, ?, ?, ?, ?, ?)
     on conflict (session, source, chat) do update set last_at = max(last_at, excluded.last_at)`,
    session,
    source,
    chat,
    name,
    at,
    at,
  );
}
