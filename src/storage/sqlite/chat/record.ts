import type { Batch, Recorded } from '../../../chat/ports.ts';
import type { InboundEvent, InboundMessage } from '../../../domain/chat.ts';
import type { NewEvent } from '../../../domain/event-log.ts';
import type { Transaction } from '../database.ts';
import { appendEvents } from '../event-log.ts';
import { type Changed, type ChangingEvent, changeMessage, findKnown, type KnownMessage } from './change.ts';
import { openDirectory } from './directory.ts';
import { importedEvent, messageEvent } from './events.ts';
import { type Ids, idAt, toMoment } from './ids.ts';
import { addToIndex } from './index-row.ts';
import { widenDrift } from './marks.ts';
import type { PreparedEvent } from './prepare.ts';
import { formatExtra } from './rows.ts';
import { createTally } from './tally.ts';
import { saveTimeline } from './timelines.ts';
import { hasWaiting, keepForLater, takeWaiting } from './waiting.ts';
import type { Words } from './words.ts';

interface Draft {
  id: number;
  chat: number;
  sender: number;
  at: number;
  message: InboundMessage;
  words: Words;
}

/** What a transaction of recording needs besides the batch. */
export interface RecordingParts {
  ids(tx: Transaction): Ids;
  learn(tx: Transaction, terms: Iterable<string>): () => void;
  now: number;
}

/** The whole batch, in one transaction. `committed` is to be called once it is. */
export function recordBatch(
  tx: Transaction,
  batch: Omit<Batch, 'events'>,
  events: readonly PreparedEvent[],
  parts: RecordingParts,
): { recorded: Recorded; committed: () => void } {
  const { source, origin, timeline } = batch;
  const directory = openDirectory(tx, source, { renames: origin !== 'older' });
  const tally = createTally();
  /** Whether anybody hears of each message, or something has waited for one. */
  const isAwaited = origin === 'live' || hasWaiting(tx, directory.source);
  const { drafts, byEvent } = draftsOf();
  const committed = store();
  const recorded = follow();
  tally.save(tx);
  if (timeline) saveTimeline(tx, source, timeline);
  return { recorded, committed };

  /** Messages that are not known yet, each once, and by the event that first told of them. */
  function draftsOf(): { drafts: Draft[]; byEvent: Map<InboundEvent, Draft> } {
    const found = new Map<string, Draft>();
    const first = new Map<InboundEvent, Draft>();
    for (const { event, words } of events) {
      if (event.kind === 'chat') directory.chat(event.chat);
      if (event.kind !== 'message') continue;
      const { message } = event;
      const chat = directory.chat(message.chat).key;
      const key = `${chat} ${message.id}`;
      if (found.has(key) || isStored(tx, chat, message.id)) continue;
      const sender = directory.sender(message.sender);
      const draft = { id: 0, chat, sender, at: toMoment(message.at, parts.now), message, words };
      found.set(key, draft);
      first.set(event, draft);
    }
    return { drafts: [...found.values()], byEvent: first };
  }

  /** First all ids, then the rows in their order: SQLite appends much faster than it inserts. */
  function store(): () => void {
    if (drafts.length === 0) return () => {};
    const ids = parts.ids(tx);
    if (origin === 'older') for (const draft of drafts.toReversed()) draft.id = ids.below(draft.at);
    else for (const draft of drafts) draft.id = ids.above(draft.at);
    for (const draft of drafts.toSorted((a, b) => a.id - b.id)) insert(draft);
    widenDrift(tx, Math.max(...drafts.map(({ id, at }) => Math.abs(id - idAt(at)))));
    return parts.learn(tx, termsOf(drafts));
  }

  function insert({ id, chat, sender, at, message, words }: Draft): void {
    const { contentType = 'text', isOwn = false, replyTo = null, editedAt = null, attachments = [] } = message;
    tx.run(
      `insert into messages (id, chat, sender, external_id, at, own, content_type, text, reply_to, edited_at, extra)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      chat,
      sender,
      message.id,
      at,
      isOwn ? 1 : 0,
      contentType,
      message.text,
      replyTo,
      editedAt === null ? null : toMoment(editedAt, parts.now),
      formatExtra({ attachments }),
    );
    addToIndex(tx, id, { source: directory.source, chat, sender, at, contentType }, words.tokens);
    tally.add(chat, sender, at);
  }

  /** In the order in which it happened: what is told of each, and what happened to it. */
  function follow(): Recorded {
    const recorded = { added: 0, changed: 0, known: 0 };
    const news: NewEvent[] = [];
    for (const { event } of events) {
      const outcome = apply(event, news);
      if (outcome) recorded[outcome] += 1;
    }
    if (origin !== 'live') news.splice(0, news.length, ...importedEvent(source, recorded.added));
    appendEvents(tx, news, parts.now);
    return recorded;
  }

  function apply(event: InboundEvent, news: NewEvent[]): keyof Recorded | undefined {
    if (event.kind === 'chat') return undefined;
    const isNew = event.kind === 'message' && byEvent.has(event);
    if (isNew && !isAwaited) return 'added';
    if (event.kind === 'message' && !isNew && event.message.editedAt === undefined) return 'known';
    const [chatId, messageId] =
      event.kind === 'message' ? [event.message.chat.id, event.message.id] : [event.chat, event.message];
    const chat = directory.knownChat(chatId);
    const known = chat && findKnown(tx, chat.key, messageId);
    if (!known) {
      if (event.kind !== 'message') keepForLater(tx, directory.source, event, parts.now);
      return 'known';
    }
    const { change, message } = isNew ? applyWaiting(known, chatId) : changeTo(known, event);
    const type = isNew ? 'received' : change;
    if (type && !(isNew && message.deleted_at !== null)) news.push(messageEvent(type, { source, chat, message }));
    return isNew ? 'added' : change ? 'changed' : 'known';
  }

  function applyWaiting(message: KnownMessage, chatId: string): Changed {
    return takeWaiting(tx, directory.source, chatId, message.external_id).reduce<Changed>(
      (current, event) => changeTo(current.message, event),
      { message },
    );
  }

  function changeTo(known: KnownMessage, event: ChangingEvent): Changed {
    return changeMessage(tx, known, event, { source: directory.source, learn: learnNow });
  }

  /** Words of edits are few: they need not be remembered. */
  function learnNow(terms: readonly string[]): void {
    parts.learn(tx, terms);
  }
}

function isStored(tx: Transaction, chat: number, externalId: string): boolean {
  return tx.get('select 1 from messages where chat = ? and external_id = ?', chat, externalId) !== undefined;
}

function* termsOf(drafts: readonly Draft[]): Generator<string> {
  for (const { words } of drafts) yield* words.terms;
}
