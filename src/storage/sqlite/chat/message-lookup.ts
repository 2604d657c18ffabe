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

interface Extent {
  count: number;
  oldest?: number;
  newest?: number;
}

export function extentOf(reader: Reader, source: string, chat: number | undefined): Extent {
  const key = reader.get<{ key: number }>('select key from chat_sources where id = ?', source)?.key;
  if (key === undefined) return { count: 0 };
  const sum = 'select coalesce(sum(messages), 0) as count from chats where source = ? and (? is null or key = ?)';
  const count = reader.get<{ count: number }>(sum, key, chat ?? null, chat ?? null)?.count ?? 0;
  const end = (order: 'asc' | 'desc') =>
    chat === undefined ? endOfSource(reader, key, order) : endOfChat(reader, chat, order);
  const [oldest, newest] = count === 0 ? [] : [end('asc'), end('desc')];
  return { count, ...(oldest === undefined ? {} : { oldest }), ...(newest === undefined ? {} : { newest }) };
}

function endOfSource(reader: Reader, source: number, order: 'asc' | 'desc'): number | undefined {
  const sql = `select at from messages where id = (
    select rowid from message_words where message_words match ? order by rowid ${order} limit 1)`;
  return reader.get<{ at: number }>(sql, `"${sourceToken(source)}"`)?.at;
}

function endOfChat(reader: Reader, chat: number, order: 'asc' | 'desc'): number | undefined {
  return reader.get<{ at: number }>(`select at from messages where chat = ? order by id ${order} limit 1`, chat)?.at;
}

function numbers(rows: Ids): number[] {
  return rows.map(({ id }) => id);
}
