import type { Batch } from '../../../chat/ports.ts';
import type { InboundEvent, InboundMessage } from '../../../domain/chat.ts';
import type { IndexedText } from '../../../domain/indexed-text.ts';
import type { Transaction } from '../database.ts';
import { createChatCounters } from './chat-counters.ts';
import { addToIndex, type MessageKeys } from './index-row.ts';
import { raiseDrift } from './marks.ts';
import { clampTimestamp, type IdAllocator, idAt } from './message-ids.ts';
import { addPending } from './pending-pairs.ts';
import type { PreparedEvent } from './prepare-events.ts';
import { type Extra, formatExtra } from './rows.ts';
import type { SourceDirectory } from './source-directory.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A row to insert, unless the message is stored already. */
interface NewRow extends MessageKeys {
  id: number;
  event: InboundEvent;
  message: InboundMessage;
  indexed: IndexedText;
}

/** What recording a batch needs. */
export interface Recording {
  tx: Transaction;
  source: string;
  origin: Batch['origin'];
  missedSince?: number;
  directory: SourceDirectory;
  ids(tx: Transaction): IdAllocator;
  vocabulary: Vocabulary;
  now: number;
}

export interface InsertResult {
  /** Events whose messages were not stored before, with the ids of the new messages. */
  inserted: ReadonlyMap<InboundEvent, number>;
  /** Call it once the transaction is committed. */
  onCommitted(): void;
}

/**
 * Inserts the messages of a batch that are not stored yet. Ids are assigned first and rows are inserted in their
 * order, because SQLite appends much faster than it inserts. The full-text index is written last, because FTS5
 * flushes its pending rows whenever a statement opens a savepoint.
 */
export function insertMessages(recording: Recording, events: readonly PreparedEvent[]): InsertResult {
  const { tx, vocabulary, now } = recording;
  const rows = withoutKnown(recording, toNewRows(recording, events));
  recording.directory.indexSenderNames();
  assignIds(recording, rows);
  const added = rows.sort((a, b) => a.id - b.id).filter((row) => insert(tx, row, now));
  if (added.length === 0) return { inserted: new Map(), onCommitted: () => {} };
  updateCounters(tx, added);
  const onCommitted = vocabulary.addTerms(
    tx,
    added.map(({ indexed }) => indexed),
  );
  addPending(
    tx,
    added.map(({ id }) => id),
  );
  for (const row of added) addToIndex(tx, row.id, row, row.indexed.words);
  return { inserted: new Map(added.map(({ event, id }) => [event, id])), onCommitted };
}

function toNewRows({ directory, now }: Recording, events: readonly PreparedEvent[]): NewRow[] {
  const rows: NewRow[] = [];
  for (const { event, indexed, isKnown } of events) {
    if (event.kind === 'chat') directory.chat(event.chat);
    if (event.kind !== 'message') continue;
    const { message } = event;
    // Names may be new, even if the message is not.
    const [chat, sender] = [directory.chat(message.chat).key, directory.sender(message.sender)];
    if (isKnown) continue;
    rows.push({
      id: 0,
      source: directory.source,
      chat,
      sender,
      at: clampTimestamp(message.at, now),
      contentType: message.contentType ?? 'text',
      event,
      message,
      indexed,
    });
  }
  return rows;
}

/**
 * Networks repeat live messages. An id assigned to a repeated one would remain free, and a later message with the same
 * timestamp would get it, before messages that are older. Repetitions in history are known before.
 */
function withoutKnown({ tx, origin }: Recording, rows: NewRow[]): NewRow[] {
  if (origin !== 'live') return rows;
  const seen = new Set<string>();
  return rows.filter(({ chat, message: { id } }) => {
    const isRepeated = seen.has(`${chat} ${id}`);
    seen.add(`${chat} ${id}`);
    return !isRepeated && !tx.get('select 1 from messages where chat = ? and external_id = ?', chat, id);
  });
}

/** Backwards if history is read backwards, so that messages with the same timestamp keep their order across pages. */
function assignIds({ tx, origin, ids }: Recording, rows: readonly NewRow[]): void {
  if (rows.length === 0) return;
  const { above, below } = ids(tx);
  if (origin === 'older') for (const row of rows.toReversed()) row.id = below(row.at);
  else for (const row of rows) row.id = above(row.at);
}

/** Returns whether the message is new. The id of a known one remains free. */
function insert(tx: Transaction, { id, chat, sender, at, contentType, message }: NewRow, now: number): boolean {
  const { isOwn = false, replyTo = null, editedAt } = message;
  const changes = tx.run(
    `insert into messages (id, chat, sender, external_id, at, own, content_type, text, reply_to, edited_at, extra)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (chat, external_id) do nothing`,
    id,
    chat,
    sender,
    message.id,
    at,
    isOwn ? 1 : 0,
    contentType,
    message.text,
    replyTo,
    editedAt === undefined ? null : clampTimestamp(editedAt, now),
    formatExtra(extraOf(message)),
  );
  return changes > 0;
}

function extraOf({ attachments, mail }: InboundMessage): Extra {
  return { ...(attachments ? { attachments } : {}), ...(mail ? { mail } : {}) };
}

function updateCounters(tx: Transaction, added: readonly NewRow[]): void {
  const counters = createChatCounters();
  let drift = 0;
  for (const { id, chat, at } of added) {
    counters.add(chat, at);
    drift = Math.max(drift, Math.abs(id - idAt(at)));
  }
  counters.save(tx);
  if (drift > 0) raiseDrift(tx, drift);
}
