import type { ChatFilter, ChatPage, ChatStore, StoredChat } from '../../../chat/ports.ts';
import type { SqlValue } from '../connection.ts';
import type { Database, Reader } from '../database.ts';
import { fold } from './fold.ts';
import { CHAT_COLUMNS, type ChatRow, toChat } from './rows.ts';

/** Chats with the same name, of which more than one is too many. */
const MAX_NAMED = 100;
const ROWS_PER_READ = 2_000;

export function createChatStore(db: Database): ChatStore {
  return {
    list: (source, filter, page) => db.read((reader) => pageOf(reader, source, filter, page)),
    resolve: (sources, wanted) => resolve(db, sources, wanted),
    named: (name, source) =>
      db.read((reader) => {
        const within = source === undefined ? '' : ' and o.id = ?';
        const sql = `select ${CHAT_COLUMNS} where c.folded_name = ?${within} limit ?`;
        const values = source === undefined ? [] : [source];
        return reader.all<ChatRow>(sql, fold(name).trim(), ...values, MAX_NAMED).map(toChat);
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

async function resolve(db: Database, sources: readonly string[] | undefined, wanted: string): Promise<StoredChat[]> {
  const folded = fold(wanted).trim();
  const find = (condition: string, value: string) => allChats(db, condition, { value, sources });
  const byId = wanted === '' ? [] : await find('c.id = ?', wanted);
  if (folded === '' || (byId.length > 0 && sources?.length === 1)) return byId;
  // An id in one source may be a chat's name in another one, so an id takes precedence only within its own source.
  const taken = new Set(byId.map(({ source }) => source));
  const byName = (await find('c.folded_name = ?', folded)).filter(({ source }) => !taken.has(source));
  const exact = [...byId, ...byName];
  return exact.length > 0 ? exact : find('instr(c.folded_name, ?) > 0', folded);
}

interface Resolved {
  value: string;
  sources: readonly string[] | undefined;
}

/** Most recently active first. A short part of a name may fit very many: their rows are read in small steps. */
async function allChats(db: Database, condition: string, { value, sources }: Resolved): Promise<StoredChat[]> {
  const within = sources ? 'o.id in (select value from json_each(?))' : '? is not null';
  const sql = `select c.key from chats as c join chat_sources as o on o.key = c.source where ${condition} and ${within}`;
  const keys = await db.read((reader) =>
    reader.all<{ key: number }>(sql, value, JSON.stringify(sources ?? [])).map(({ key }) => key),
  );
  const found: ChatRow[] = [];
  for (let start = 0; start < keys.length; start += ROWS_PER_READ) {
    const some = JSON.stringify(keys.slice(start, start + ROWS_PER_READ));
    found.push(...(await db.read((reader) => reader.all<ChatRow>(ROWS, some))));
  }
  return found.sort((a, b) => b.last_at - a.last_at || b.key - a.key).map(toChat);
}

const ROWS = `select ${CHAT_COLUMNS} where c.key in (select value from json_each(?))`;
