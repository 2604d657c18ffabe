import type { Database, Reader, Transaction } from '../database.ts';
import { appendEvents } from '../event-log.ts';
import { writeInBatches } from './batched-writes.ts';
import { findKnownById, type KnownMessage } from './change-message.ts';
import { createChatCounters } from './chat-counters.ts';
import { messageEvent, subjectOf } from './events.ts';
import { removeFromIndex, termsIn, tokenizeMessage } from './index-row.ts';
import { addToMark } from './marks.ts';
import { parseExtra } from './rows.ts';
import type { KnownChat } from './source-directory.ts';
import { deleteUnusedTerms } from './vocabulary.ts';

const EVENTS_PER_BATCH = 2_000;

/**
 * Deletes messages for good: nothing of them remains, neither words in the index nor content in the event log. Chats that
 * become empty are removed. `choose` runs in the same transaction. Returns how many there were.
 */
export async function deleteMessagesById(
  db: Database,
  source: string,
  choose: (reader: Reader) => readonly number[],
  now: number,
): Promise<number> {
  const { ids, subjects } = await db.write((tx) => {
    const chosen = choose(tx);
    return { ids: chosen, subjects: deleteAll(tx, source, chosen, now) };
  });
  if (subjects.length > 0) await redactEvents(db, subjects, ids);
  return ids.length;
}

/** Returns the subjects of the events that contain the messages. */
function deleteAll(tx: Transaction, source: string, ids: readonly number[], now: number): string[] {
  const counters = createChatCounters();
  const terms = new Set<string>();
  const chats = new Map<number, KnownChat>();
  for (const message of ids.flatMap((id) => findKnownById(tx, id) ?? [])) {
    const chat = chatOf(tx, chats, message.chat);
    appendEvents(tx, [messageEvent('deleted', { source, chat, message: { ...message, text: '' } })], now);
    tx.run('delete from messages where id = ?', message.id);
    removeFromIndex(tx, message.id);
    counters.remove(message.chat);
    for (const term of termsOf(message)) terms.add(term);
  }
  counters.save(tx);
  addToMark(tx, 'forgotten', ids.length);
  deleteUnusedTerms(tx, [...terms]);
  for (const key of chats.keys()) tx.run('delete from chats where key = ? and messages <= 0', key);
  return [...chats.values()].map(({ id }) => `${subjectOf(source)}${encodeURIComponent(id.toWellFormed())}`);
}

function chatOf(tx: Transaction, chats: Map<number, KnownChat>, key: number): KnownChat {
  const chat =
    chats.get(key) ?? tx.get<KnownChat>('select key, id, name, type, participant_count from chats where key = ?', key);
  if (!chat) throw new Error('a message is in no chat');
  chats.set(key, chat);
  return chat;
}

function termsOf({ text, extra }: KnownMessage): readonly string[] {
  return termsIn(tokenizeMessage(text, parseExtra(extra)));
}

/** The events keep their numbers, which clients use as cursors. */
async function redactEvents(db: Database, subjects: readonly string[], ids: readonly number[]): Promise<void> {
  const last = await db.read(
    (reader) => reader.get<{ last: number }>('select coalesce(max(number), 0) as last from events')?.last ?? 0,
  );
  await writeInBatches(db, 0, (tx, after) => {
    const end = after + EVENTS_PER_BATCH;
    const done = tx.run(
      `update events set data = '{}'
       where number > ? and number <= ? and type <> 'message.deleted'
         and subject in (select value from json_each(?))
         and json_extract(data, '$.message_id') in (select cast(value as text) from json_each(?))`,
      after,
      end,
      JSON.stringify(subjects),
      JSON.stringify(ids),
    );
    return { done, next: end < last ? end : undefined };
  });
}
