import type { Sender } from '../../../domain/chat.ts';
import type { Database } from '../database.ts';

type Participant = Sender & { messages: number };

/** Rows of the index that are counted in one go: some milliseconds of the thread. */
const ROWS = 20_000;
/** Chats whose counts are remembered; a list of chats asks for all of them again and again. */
const CHATS = 1_000;

/** What changes when something is added to a chat, or forgotten. */
interface State {
  messages: number;
  oldest: number | null;
  newest: number | null;
}

interface Counted extends State {
  /** Keys of the senders and how much they wrote, most active first. */
  senders: [key: number, messages: number][];
}

export type Participants = (chat: number, limit: number) => Promise<Participant[]>;

/** Who has written in a chat, most active first. */
export function createParticipants(db: Database): Participants {
  const counted = new Map<number, Counted>();

  async function count(chat: number): Promise<Counted['senders']> {
    const state = await db.read((reader) => reader.get<State>(STATE, chat));
    if (!state) return [];
    const known = counted.get(chat);
    counted.delete(chat);
    const current = known && isSame(known, state) ? known : { ...state, senders: await countSenders(db, chat) };
    counted.set(chat, current);
    const [first] = counted.keys();
    if (counted.size > CHATS && first !== undefined) counted.delete(first);
    return current.senders;
  }

  return async (chat, limit) => {
    const most = (await count(chat)).slice(0, limit);
    const rows = await db.read((reader) =>
      reader.all<Sender & { key: number }>(NAMES, JSON.stringify(most.map(([key]) => key))),
    );
    const named = new Map(rows.map(({ key, id, name }) => [key, { id, name }]));
    return most.flatMap(([key, messages]) => {
      const sender = named.get(key);
      return sender ? [{ ...sender, messages }] : [];
    });
  };
}

const STATE = `
  select messages, (select min(id) from messages where chat = c.key) as oldest,
    (select max(id) from messages where chat = c.key) as newest
  from chats as c where key = ?`;
const NAMES = 'select key, id, name from senders where key in (select value from json_each(?))';

function isSame(one: State, other: State): boolean {
  return one.messages === other.messages && one.oldest === other.oldest && one.newest === other.newest;
}

async function countSenders(db: Database, chat: number): Promise<Counted['senders']> {
  const counts = new Map<number, number>();
  const sql = `
    select sender, count(*) as messages, max(id) as last from (
      select sender, id from messages where chat = ? and id > ? order by id limit ?
    ) group by sender`;
  for (let after = 0, seen = ROWS; seen === ROWS; ) {
    const from = after;
    const rows = await db.read((reader) =>
      reader.all<{ sender: number; messages: number; last: number }>(sql, chat, from, ROWS),
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
