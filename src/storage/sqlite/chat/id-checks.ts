import type { SqlValue } from '../connection.ts';
import type { Reader } from '../database.ts';

/**
 * The ids that fit, in their order. For conditions that are not in the full-text index; called with some hundred ids. `within`
 * is an FTS5 expression that all of them match.
 */
export type IdCheck = (reader: Reader, ids: readonly number[], within?: string) => readonly number[];

/** SQL is fixed and values are parameters, because statements are cached. The first parameter is the list of ids. */
function checkOf(sql: string, ...values: SqlValue[]): IdCheck {
  return (reader, ids) => {
    if (ids.length === 0) return ids;
    const found = new Set(reader.all<{ id: number }>(sql, JSON.stringify(ids), ...values).map(({ id }) => id));
    return ids.filter((id) => found.has(id));
  };
}

const MESSAGES = 'select id from messages where id in (select value from json_each(?1))';
const EMAILS = 'select message as id from emails where message in (select value from json_each(?1))';

export const isOwn = checkOf(`${MESSAGES} and own = 1`);
export const isReply = checkOf(`${MESSAGES} and reply_to is not null`);
export const isEdited = checkOf(`${MESSAGES} and edited_at is not null`);
/** Received in a direct chat, or as an email. */
export const isToUser = checkOf(
  `${MESSAGES} and own = 0 and
   (chat in (select key from chats where type = 'direct') or exists (select 1 from emails where message = messages.id))`,
);
export const hasLink = checkOf(
  `${MESSAGES} and (text like '%http://%' or text like '%https://%' or text like '%www.%')`,
);
export const isRead = checkOf(`${EMAILS} and is_seen = 1`);
export const isUnread = checkOf(`${EMAILS} and is_seen = 0`);
export const isFlagged = checkOf(`${EMAILS} and is_flagged = 1`);
export const isNotDiscarded = checkOf(
  `select value as id from json_each(?1) as wanted
   where not exists (select 1 from emails where message = wanted.value and is_discarded = 1)`,
);

export const isSince = (at: number) => checkOf(`${MESSAGES} and at >= ?2`, at);
export const isBefore = (at: number) => checkOf(`${MESSAGES} and at < ?2`, at);
export const containsSigns = (text: string) => checkOf(`${MESSAGES} and instr(text, ?2) > 0`, text);
export const isFromOneOf = (senders: readonly number[]) => keyCheck('sender', senders);
export const isInOneOf = (chats: readonly number[]) => keyCheck('chat', chats);
export const isOfAccount = (accounts: readonly number[]) =>
  checkOf(`${EMAILS} and account in (select value from json_each(?2))`, JSON.stringify(accounts));
export const isInFolder = (folders: readonly number[]) =>
  checkOf(
    `select message as id from email_locations
     where message in (select value from json_each(?1)) and folder in (select value from json_each(?2))`,
    JSON.stringify(folders),
  );

export function isNoneOf(known: readonly number[]): IdCheck {
  const left = new Set(known);
  return (_, ids) => ids.filter((id) => !left.has(id));
}

/** There may be thousands of keys, and SQLite would read the list of them again for each call. */
function keyCheck(column: 'sender' | 'chat', keys: readonly number[]): IdCheck {
  const wanted = new Set(keys);
  const sql = `select id, ${column} as key from messages where id in (select value from json_each(?))`;
  return (reader, ids) => {
    const rows = reader.all<{ id: number; key: number }>(sql, JSON.stringify(ids));
    const found = new Set(rows.filter(({ key }) => wanted.has(key)).map(({ id }) => id));
    return ids.filter((id) => found.has(id));
  };
}

/** By the full-text index. All matches between the first and the last id are read: FTS5 looks up single ids slowly. */
export function matchesExpression(expression: string): IdCheck {
  return (reader, ids, within) => {
    if (ids.length === 0) return ids;
    const limited = within === undefined ? expression : `(${within}) AND ${expression}`;
    const rows = reader.all<{ id: number }>(MATCHES, limited, Math.min(...ids), Math.max(...ids));
    const found = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => found.has(id));
  };
}

const MATCHES = 'select rowid as id from message_words where message_words match ? and rowid between ? and ?';

/** Messages whose text may contain what a pattern for LIKE matches. LIKE ignores the case of ASCII only: others may contain it, too. */
export const mayContain = (pattern: string) =>
  checkOf(
    `${MESSAGES} and (text like ?2 escape '\\' or octet_length(text) <> length(text)
       or extra like ?2 escape '\\' or octet_length(extra) <> length(extra))`,
    pattern,
  );

/** Not what fits the check, if it has this id or a higher one; everything older. */
export function noneSince(from: number, check: IdCheck): IdCheck {
  return (reader, ids, within) => {
    const newer = ids.filter((id) => id >= from);
    const found = new Set(check(reader, newer, within));
    return ids.filter((id) => !found.has(id));
  };
}
