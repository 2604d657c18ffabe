import type { Extent } from '../../../chat/ports.ts';
import type { Reader } from '../database.ts';
import { sourceToken } from './index-row.ts';

type Ids = { id: number }[];

export function idByExternalId(reader: Reader, chat: number, externalId: string): number[] {
  return numbers(
    reader.all<{ id: number }>('select id from messages where chat = ? and external_id = ?', chat, externalId),
  );
}

/** In the order of time. */
export function idsByExternalIds(
  reader: Reader,
  chats: readonly number[],
  externalIds: readonly string[],
): readonly number[] {
  const sql = `
    select m.id from json_each(?) as wanted cross join json_each(?) as chat
      cross join messages as m on m.chat = chat.value and m.external_id = wanted.value
    order by m.id`;
  return numbers(reader.all<{ id: number }>(sql, JSON.stringify(externalIds), JSON.stringify(chats)));
}

/** A message and its neighbours in the chat, oldest first. */
export function idsAround(reader: Reader, id: number, before: number, after: number): number[] {
  const chat = reader.get<{ chat: number }>('select chat from messages where id = ?', id)?.chat;
  if (chat === undefined) return [];
  const beside = (sql: string, count: number) => numbers(reader.all<{ id: number }>(sql, chat, id, count));
  return [
    ...beside('select id from messages where chat = ? and id < ? order by id desc limit ?', before).reverse(),
    id,
    ...beside('select id from messages where chat = ? and id > ? order by id limit ?', after),
  ];
}

/** Follows replies up to the first known message of the thread, then collects all replies below it. */
export function idsOfThread(reader: Reader, id: number, limit: number): number[] {
  return numbers(reader.all<{ id: number }>(THREAD, id, limit));
}

const THREAD = `
  with recursive above (chat, id, external_id, reply_to, steps) as (
    select chat, id, external_id, reply_to, 0 from messages where id = ?1
    union
    select m.chat, m.id, m.external_id, m.reply_to, steps + 1
    from above cross join messages as m on m.chat = above.chat and m.external_id = above.reply_to
    where steps < ?2
  ),
  below (chat, id, external_id) as (
    select * from (select chat, id, external_id from above order by steps desc limit 1)
    union
    select m.chat, m.id, m.external_id
    from below cross join messages as m on m.chat = below.chat and m.reply_to = below.external_id
    limit ?2
  )
  select id from below order by id`;

/** Takes the same time however many chats and messages there are. */
export function extentOf(reader: Reader, source: string, chat: number | undefined): Extent {
  const found = reader.get<{ key: number; messages: number }>(
    'select key, messages from chat_sources where id = ?',
    source,
  );
  const { count, oldest, newest } = found
    ? chat === undefined
      ? wholeSource(reader, found)
      : oneChat(reader, found.key, chat)
    : { count: 0 };
  const isComplete = chat === undefined ? isHistoryComplete(reader, source) : undefined;
  return {
    count,
    ...(count === 0 || oldest === undefined ? {} : { oldest }),
    ...(count === 0 || newest === undefined ? {} : { newest }),
    ...(isComplete === undefined ? {} : { isComplete }),
  };
}

interface Ends {
  count: number;
  oldest?: number | undefined;
  newest?: number | undefined;
}

/** FTS5 finds the first message of a term at once, the last one slowly; chats know theirs. */
function wholeSource(reader: Reader, { key, messages }: { key: number; messages: number }): Ends {
  const first = `select at from messages where id = (
    select rowid from message_words where message_words match ? order by rowid limit 1)`;
  const last = 'select last_at as at from chats where source = ? order by last_at desc limit 1';
  return {
    count: messages,
    oldest: reader.get<{ at: number }>(first, `"${sourceToken(key)}"`)?.at,
    newest: reader.get<{ at: number }>(last, key)?.at,
  };
}

function oneChat(reader: Reader, source: number, chat: number): Ends {
  const counted = 'select messages as count from chats where source = ? and key = ?';
  const end = (order: 'asc' | 'desc') =>
    reader.get<{ at: number }>(`select at from messages where chat = ? order by id ${order} limit 1`, chat)?.at;
  return {
    count: reader.get<{ count: number }>(counted, source, chat)?.count ?? 0,
    oldest: end('asc'),
    newest: end('desc'),
  };
}

/** Whether all history of a source is stored; undefined if it has none to fetch. */
function isHistoryComplete(reader: Reader, source: string): boolean | undefined {
  const sql = `select
    exists (select 1 from chat_timelines where source = ?1) as known,
    exists (select 1 from chat_timelines where source = ?1 and complete = 0) as unfinished`;
  const { known = 0, unfinished = 0 } = reader.get<{ known: number; unfinished: number }>(sql, source) ?? {};
  return known === 0 ? undefined : unfinished === 0;
}

function numbers(rows: Ids): number[] {
  return rows.map(({ id }) => id);
}
