import type { LetterRecords, MailboxMark } from '../../../agentmail/ports.ts';
import type { Database, Reader } from '../database.ts';

interface MarkRow {
  path: string;
  bytes: number;
  line_start: number;
  last_id: string;
}

export function createLetterRecords(db: Database): LetterRecords {
  return {
    mark: (path) =>
      db.read((reader) => toMark(reader.get<MarkRow>('select * from agentmail_marks where path = ?', path))),
    saveMark: ({ path, bytes, lineStart, lastId }) =>
      db.write((tx) => {
        tx.run(
          `insert into agentmail_marks (path, bytes, line_start, last_id) values (?, ?, ?, ?)
           on conflict (path) do update set
             bytes = excluded.bytes, line_start = excluded.line_start, last_id = excluded.last_id`,
          path,
          bytes,
          lineStart,
          lastId,
        );
      }),
    clearMarks: () => db.write((tx) => void tx.run('delete from agentmail_marks')),
    link: (repository, replies) =>
      db.write((tx) => {
        for (const { id, inReplyTo } of replies) {
          tx.run(
            `insert into agentmail_replies (repository, id, in_reply_to) values (?, ?, ?)
             on conflict (repository, id) do update set in_reply_to = excluded.in_reply_to`,
            repository,
            id,
            inReplyTo,
          );
        }
      }),
    repliesAmong: (repository, ids) => db.read((reader) => repliesAmong(reader, repository, ids)),
    thread: (repository, id, limit) =>
      db.read((reader) => reader.all<{ id: string }>(THREAD, repository, id, limit).map((row) => row.id)),
  };
}

function repliesAmong(reader: Reader, repository: string, ids: readonly string[]): ReadonlyMap<string, string> {
  const sql = `
    select r.id, r.in_reply_to from json_each(?) as wanted
      cross join agentmail_replies as r on r.repository = ? and r.id = wanted.value`;
  const rows = reader.all<{ id: string; in_reply_to: string }>(sql, JSON.stringify(ids), repository);
  return new Map(rows.map((row) => [row.id, row.in_reply_to]));
}

/** Up from the letter to the first known letter of its thread, and down from there to every answer. */
const THREAD = `
  with recursive above (id, steps) as (
    select ?2, 0
    union
    select reply.in_reply_to, steps + 1
    from above join agentmail_replies as reply on reply.repository = ?1 and reply.id = above.id
    where steps < ?3
  ),
  below (id) as (
    select * from (select id from above order by steps desc limit 1)
    union
    select reply.id
    from below join agentmail_replies as reply on reply.repository = ?1 and reply.in_reply_to = below.id
    limit ?3
  )
  select id from below`;

function toMark(row: MarkRow | undefined): MailboxMark | undefined {
  return row && { path: row.path, bytes: row.bytes, lineStart: row.line_start, lastId: row.last_id };
}
