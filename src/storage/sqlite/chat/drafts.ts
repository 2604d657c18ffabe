import type { Batch } from '../../../chat/ports.ts';
import type { InboundEvent, InboundMessage } from '../../../domain/chat.ts';
import type { Transaction } from '../database.ts';
import type { Directory } from './directory.ts';
import { type Ids, idAt, toMoment } from './ids.ts';
import { addToIndex, type Place } from './index-row.ts';
import { widenDrift } from './marks.ts';
import type { PreparedEvent } from './prepare.ts';
import { formatExtra } from './rows.ts';
import { createTally } from './tally.ts';
import type { Words } from './words.ts';

/** A message that may not be stored yet. */
interface Draft extends Place {
  id: number;
  event: InboundEvent;
  message: InboundMessage;
  words: Words;
}

/** What recording a batch needs. */
export interface Recording {
  tx: Transaction;
  source: string;
  origin: Batch['origin'];
  missedSince?: number;
  directory: Directory;
  ids(tx: Transaction): Ids;
  learn(tx: Transaction, texts: readonly (readonly string[])[]): () => void;
  now: number;
}

export interface Stored {
  /** The events whose messages were not known before. */
  fresh: ReadonlySet<InboundEvent>;
  /** To be called once the transaction is committed. */
  committed(): void;
}

/**
 * Stores the messages of a batch that are not known yet. First all get their ids, then the rows are inserted in that
 * order: SQLite appends much faster than it inserts. The full-text index comes last, since whatever opens a savepoint
 * makes it write what it has gathered.
 */
export function storeMessages(recording: Recording, events: readonly PreparedEvent[]): Stored {
  const { tx, now } = recording;
  const drafts = draftsOf(recording, events);
  giveIds(recording, drafts);
  const added = drafts.sort((a, b) => a.id - b.id).filter((draft) => insert(tx, draft, now));
  if (added.length === 0) return { fresh: new Set(), committed: () => {} };
  count(tx, added);
  const committed = recording.learn(
    tx,
    added.map(({ words }) => words.terms),
  );
  for (const draft of added) addToIndex(tx, draft.id, draft, draft.words.tokens);
  return { fresh: new Set(added.map(({ event }) => event)), committed };
}

function draftsOf({ directory, now }: Recording, events: readonly PreparedEvent[]): Draft[] {
  const drafts: Draft[] = [];
  for (const { event, words } of events) {
    if (event.kind === 'chat') directory.chat(event.chat);
    if (event.kind !== 'message') continue;
    const { message } = event;
    drafts.push({
      id: 0,
      source: directory.source,
      chat: directory.chat(message.chat).key,
      sender: directory.sender(message.sender),
      at: toMoment(message.at, now),
      contentType: message.contentType ?? 'text',
      event,
      message,
      words,
    });
  }
  return drafts;
}

/** Backwards where history is read backwards, so that messages of one moment keep their order where pages meet. */
function giveIds({ tx, origin, ids }: Recording, drafts: readonly Draft[]): void {
  if (drafts.length === 0) return;
  const { above, below } = ids(tx);
  if (origin === 'older') for (const draft of drafts.toReversed()) draft.id = below(draft.at);
  else for (const draft of drafts) draft.id = above(draft.at);
}

/** Whether it was not known; the id of one that was stays free. */
function insert(tx: Transaction, { id, chat, sender, at, contentType, message }: Draft, now: number): boolean {
  const { isOwn = false, replyTo = null, editedAt, attachments } = message;
  const rows = tx.run(
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
    editedAt === undefined ? null : toMoment(editedAt, now),
    attachments ? formatExtra({ attachments }) : null,
  );
  return rows > 0;
}

function count(tx: Transaction, added: readonly Draft[]): void {
  const tally = createTally();
  let drift = 0;
  for (const { id, chat, at } of added) {
    tally.add(chat, at);
    drift = Math.max(drift, Math.abs(id - idAt(at)));
  }
  tally.save(tx);
  if (drift > 0) widenDrift(tx, drift);
}
