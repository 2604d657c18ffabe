import type { IndexedLetter, LetterFilter, LetterIndex, LetterPage, MailboxMark } from '../../agentmail/ports.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SqlValue } from './connection.ts';
import type { Database, Reader, Transaction } from './database.ts';
import { appendEvents } from './event-log.ts';

/** Letters of one thread that are shown; two agents that answer each other for days would fill any screen. */
const MOST_IN_THREAD = 1_000;

interface LetterRow {
  position: number;
  repository: string;
  id: string;
  sender: string;
  recipient: string;
  message: string;
  created_at: number;
  in_reply_to: string | null;
}

interface MarkRow {
  path: string;
  bytes: number;
  line_start: number;
  last_id: string;
}

export function createLetterIndex(db: Database, clock: Clock): LetterIndex {
  return {
    add: (letters, mark) =>
      db.write((tx) => {
        for (const letter of letters) insert(tx, letter);
        if (mark) saveMark(tx, mark);
      }),
    record: (letter, passed) =>
      db.write((tx) => {
        insert(tx, letter);
        const { repository, id, from, to } = letter;
        appendEvents(tx, [{ type: `agentmail.${passed}`, subject: id, data: { from, to, repository } }], clock.now());
      }),
    link: (repository, replies) =>
      db.write((tx) => {
        for (const { id, inReplyTo } of replies) {
          tx.run(
            'update agentmail_letters set in_reply_to = ? where repository = ? and id = ?',
            inReplyTo,
            repository,
            id,
          );
        }
      }),
    find: (filter) => db.read((reader) => pageOf(reader, filter)),
    thread: (id) => db.read((reader) => reader.all<LetterRow>(THREAD, id, MOST_IN_THREAD).map(toLetter)),
    mark: (path) =>
      db.read((reader) => toMark(reader.get<MarkRow>('select * from agentmail_marks where path = ?', path))),
    count: () =>
      db.read((reader) => reader.get<{ count: number }>('select count(*) as count from agentmail_letters')?.count ?? 0),
    clear: () =>
      db.write((tx) => {
        tx.run(`insert into agentmail_words (agentmail_words) values ('delete-all')`);
        tx.run('delete from agentmail_letters');
        tx.run('delete from agentmail_marks');
      }),
  };
}

function insert(tx: Transaction, letter: IndexedLetter): void {
  const { repository, id, from, to, message, createdAt = 0, inReplyTo = null } = letter;
  const added = tx.get<{ position: number }>(
    `insert into agentmail_letters (repository, id, sender, recipient, message, created_at, in_reply_to)
     values (?, ?, ?, ?, ?, ?, ?) on conflict (repository, id) do nothing returning position`,
    repository,
    id,
    from,
    to,
    message,
    createdAt,
    inReplyTo,
  );
  if (added) tx.run('insert into agentmail_words (rowid, message) values (?, ?)', added.position, message);
}

function saveMark(tx: Transaction, { path, bytes, lineStart, lastId }: MailboxMark): void {
  tx.run(
    `insert into agentmail_marks (path, bytes, line_start, last_id) values (?, ?, ?, ?)
     on conflict (path) do update set
       bytes = excluded.bytes, line_start = excluded.line_start, last_id = excluded.last_id`,
    path,
    bytes,
    lineStart,
    lastId,
  );
}

function pageOf(reader: Reader, { words, agent, repository, limit, cursor }: LetterFilter): LetterPage {
  const phrases = words?.filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (phrases?.length === 0) return { letters: [] };
  const conditions: [sql: string, ...values: SqlValue[]][] = [];
  if (cursor !== undefined) conditions.push(['(created_at, position) < (?, ?)', ...placeOf(cursor)]);
  if (repository !== undefined) conditions.push(['repository = ?', repository]);
  if (agent !== undefined) conditions.push(['(sender = ? or recipient = ?)', agent, agent]);
  if (phrases) {
    const match = 'position in (select rowid from agentmail_words where agentmail_words match ?)';
    conditions.push([match, phrases.map(asPrefix).join(' ')]);
  }
  const where = conditions.map(([sql]) => sql).join(' and ') || 'true';
  const values = conditions.flatMap(([, ...given]) => given);
  // One more than asked for tells whether there is another page.
  const sql = `select * from agentmail_letters where ${where} order by created_at desc, position desc limit ?`;
  const rows = reader.all<LetterRow>(sql, ...values, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const letters = page.map(toLetter);
  return rows.length > limit && last ? { letters, next: `${last.created_at}.${last.position}` } : { letters };
}

/** Up from the letter to where its thread began, as far as is known, and down from there to every answer. */
const THREAD = `
  with recursive above (repository, id, in_reply_to, steps) as (
    select * from (
      select repository, id, in_reply_to, 0 from agentmail_letters where id = ?1 order by position desc limit 1
    )
    union
    select letter.repository, letter.id, letter.in_reply_to, steps + 1
    from above join agentmail_letters as letter
      on letter.repository = above.repository and letter.id = above.in_reply_to
    where steps < ?2
  ),
  below (repository, id) as (
    select * from (select repository, id from above order by steps desc limit 1)
    union
    select letter.repository, letter.id
    from below join agentmail_letters as letter
      on letter.repository = below.repository and letter.in_reply_to = below.id
    limit ?2
  )
  select letter.* from below join agentmail_letters as letter using (repository, id)
  order by letter.created_at, letter.position`;

/** The beginning of a word, whatever stands in it: FTS5 takes nothing inside quotes for an operator. */
function asPrefix(word: string): string {
  return `"${word.replaceAll('"', '""')}"*`;
}

function placeOf(cursor: string): [number, number] {
  const [createdAt, position] = cursor.split('.').map(Number);
  return [createdAt || 0, position || 0];
}

function toLetter(row: LetterRow): IndexedLetter {
  const { repository, id, sender, recipient, message, created_at: createdAt, in_reply_to: inReplyTo } = row;
  return {
    repository,
    id,
    from: sender,
    to: recipient,
    message,
    ...(createdAt === 0 ? {} : { createdAt }),
    ...(inReplyTo === null ? {} : { inReplyTo }),
  };
}

function toMark(row: MarkRow | undefined): MailboxMark | undefined {
  return row && { path: row.path, bytes: row.bytes, lineStart: row.line_start, lastId: row.last_id };
}
