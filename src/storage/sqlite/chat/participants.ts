import type { Sender } from '../../../domain/chat.ts';
import type { Database } from '../database.ts';

/** Rows of the index that are counted in one go: some milliseconds of the thread. */
const ROWS = 20_000;

/** Who has written in a chat, most active first. */
export async function participantsOf(
  db: Database,
  chat: number,
  limit: number,
): Promise<(Sender & { messages: number })[]> {
  const counts = await countSenders(db, chat);
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, limit);
  const keys = JSON.stringify(most.map(([key]) => key));
  const names = await db.read((reader) =>
    reader.all<Sender & { key: number }>(
      'select key, id, name from senders where key in (select value from json_each(?))',
      keys,
    ),
  );
  const named = new Map(names.map(({ key, id, name }) => [key, { id, name }]));
  return most.flatMap(([key, messages]) => {
    const sender = named.get(key);
    return sender ? [{ ...sender, messages }] : [];
  });
}

async function countSenders(db: Database, chat: number): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const sql = `
    select sender, count(*) as messages, max(id) as last from (
      select sender, id from messages where chat = ? and id > ? order by id limit ?
    ) group by sender`;
  for (let after = 0; ; ) {
    const from = after;
    const rows = await db.read((reader) =>
      reader.all<{ sender: number; messages: number; last: number }>(sql, chat, from, ROWS),
    );
    let seen = 0;
    for (const { sender, messages, last } of rows) {
      counts.set(sender, (counts.get(sender) ?? 0) + messages);
      after = Math.max(after, last);
      seen += messages;
    }
    if (seen < ROWS) return counts;
  }
}
