import type { Sender } from '../../../domain/chat.ts';
import type { Database } from '../database.ts';

type Participant = Sender & { messages: number };

/** Rows counted per read: a few milliseconds of the event loop. */
const ROWS_PER_READ = 20_000;
/** Number of chats whose counts are cached; listing chats requests them all repeatedly. */
const MAX_CACHED_CHATS = 1_000;

/** Changes whenever messages of the chat are added or deleted; validates the cache. */
interface ChatState {
  messages: number;
  oldest: number | null;
  newest: number | null;
}

interface CachedCounts extends ChatState {
  /** Sender keys with their message counts, most active first. */
  senders: [key: number, messages: number][];
}

export interface Participants {
  /** Senders of a chat, most active first. */
  participants(chat: number, limit: number): Promise<Participant[]>;
  participantCount(chat: number): Promise<number>;
}

export function createParticipants(db: Database): Participants {
  const cache = new Map<number, CachedCounts>();

  async function count(chat: number): Promise<CachedCounts['senders']> {
    const state = await db.read((reader) => reader.get<ChatState>(CHAT_STATE, chat));
    if (!state) return [];
    const known = cache.get(chat);
    cache.delete(chat);
    const current = known && isSame(known, state) ? known : { ...state, senders: await countSenders(db, chat) };
    cache.set(chat, current);
    const [first] = cache.keys();
    if (cache.size > MAX_CACHED_CHATS && first !== undefined) cache.delete(first);
    return current.senders;
  }

  async function participants(chat: number, limit: number): Promise<Participant[]> {
    const mostActive = (await count(chat)).slice(0, limit);
    const rows = await db.read((reader) =>
      reader.all<Sender & { key: number }>(SENDER_NAMES, JSON.stringify(mostActive.map(([key]) => key))),
    );
    const named = new Map(rows.map(({ key, id, name }) => [key, { id, name }]));
    return mostActive.flatMap(([key, messages]) => {
      const sender = named.get(key);
      return sender ? [{ ...sender, messages }] : [];
    });
  }

  return { participants, participantCount: async (chat) => (await count(chat)).length };
}

const CHAT_STATE = `
  select messages, (select min(id) from messages where chat = c.key) as oldest,
    (select max(id) from messages where chat = c.key) as newest
  from chats as c where key = ?`;
const SENDER_NAMES = 'select key, id, name from senders where key in (select value from json_each(?))';

function isSame(one: ChatState, other: ChatState): boolean {
  return one.messages === other.messages && one.oldest === other.oldest && one.newest === other.newest;
}

async function countSenders(db: Database, chat: number): Promise<CachedCounts['senders']> {
  const counts = new Map<number, number>();
  const sql = `
    select sender, count(*) as messages, max(id) as last from (
      select sender, id from messages where chat = ? and id > ? order by id limit ?
    ) group by sender`;
  for (let after = 0, seen = ROWS_PER_READ; seen === ROWS_PER_READ; ) {
    const from = after;
    const rows = await db.read((reader) =>
      reader.all<{ sender: number; messages: number; last: number }>(sql, chat, from, ROWS_PER_READ),
    );
    seen = 0;
    for (const { sender, messages, last } of rows) {
      counts.set(sender, (counts.get(sender) ?? 0) + messages);
      after = Math.max(after, last);
      seen += messages;
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
