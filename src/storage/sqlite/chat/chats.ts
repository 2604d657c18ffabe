import type { ChatFilter, ChatPage, ChatStore, StoredChat } from '../../../chat/ports.ts';
import type { SqlValue } from '../connection.ts';
import type { Database, Reader } from '../database.ts';
import { fold } from './fold.ts';
import { CHAT_COLUMNS, type ChatRow, toChat } from './rows.ts';

/** Maximum number of chats that a name may resolve to. */
const MAX_RESOLVED = 100;

export function createChatStore(db: Database): ChatStore {
  return {
    list: (source, filter, page) => db.read((reader) => pageOf(reader, source, filter, page)),
    resolve: (sources, wanted) => db.read((reader) => resolve(reader, sources, wanted)),
    named: (name, source) =>
      db.read((reader) => {
        const within = source === undefined ? '' : ' and o.id = ?';
        const sql = `select ${CHAT_COLUMNS} where c.folded_name = ?${within} limit ?`;
        const values = source === undefined ? [] : [source];
        return reader.all<ChatRow>(sql, fold(name).trim(), ...values, MAX_RESOLVED).map(toChat);
      }),
    byKey: (key) =>
      db.read((reader) => {
        const row = reader.get<ChatRow>(`select ${CHAT_COLUMNS} where c.key = ?`, key);
        return row && toChat(row);
      }),
  };
}

function pageOf(
  reader: Reader,
  source: string,
  { type, name, activeSince }: ChatFilter,
  { limit, after }: { limit: number; after?: string },
): ChatPage {
  const conditions: [sql: string, ...values: SqlValue[]][] = [['o.id = ?', source]];
  if (type !== undefined) conditions.push(['c.type = ?', type]);
  if (name !== undefined) conditions.push(['instr(c.folded_name, ?) > 0', fold(name)]);
  if (activeSince !== undefined) conditions.push(['c.last_at >= ?', activeSince]);
  if (after !== undefined) conditions.push(['(c.last_at, c.key) < (?, ?)', ...parseCursor(after)]);
  const where = conditions.map(([sql]) => sql).join(' and ');
  const values = conditions.flatMap(([, ...given]) => given);
  const sql = `select ${CHAT_COLUMNS} where ${where} order by c.last_at desc, c.key desc limit ?`;
  // One more than requested, to know whether there is another page.
  const rows = reader.all<ChatRow>(sql, ...values, limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { chats: rows.slice(0, limit).map(toChat), ...(last ? { next: `${last.last_at}.${last.key}` } : {}) };
}

/** An invalid cursor means the first page. */
function parseCursor(cursor: string): [number, number] {
  const [lastAt, key] = (/^-?\d{1,15}\.\d{1,15}$/.test(cursor) ? cursor : `${Number.MAX_SAFE_INTEGER}.0`)
    .split('.')
    .map(Number);
  return [lastAt ?? 0, key ?? 0];
}

function resolve(reader: Reader, sources: readonly string[] | undefined, wanted: string): StoredChat[] {
  const folded = fold(wanted).trim();
  const within = sources ? 'o.id in (select value from json_each(?))' : '? is not null';
  const find = (condition: string, value: string) =>
    reader
      .all<ChatRow>(
        `select ${CHAT_COLUMNS} where ${condition} and ${within} order by c.last_at desc, c.key desc limit ?`,
        value,
        JSON.stringify(sources ?? []),
        MAX_RESOLVED,
      )
      .map(toChat);
  const byId = wanted === '' ? [] : find('c.id = ?', wanted);
  if (folded === '' || (byId.length > 0 && sources?.length === 1)) return byId;
  // An id in one source may be a chat's name in another one, so an id takes precedence only within its own source.
  const taken = new Set(byId.map(({ source }) => source));
  const byName = find('c.folded_name = ?', folded).filter(({ source }) => !taken.has(source));
  const exact = [...byId, ...byName];
  return exact.length > 0 ? exact : find('instr(c.folded_name, ?) > 0', folded);
}
