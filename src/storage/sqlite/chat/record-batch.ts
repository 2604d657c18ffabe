import type { Batch, Recorded } from '../../../chat/ports.ts';
import type { NewEvent } from '../../../domain/event-log.ts';
import type { Transaction } from '../database.ts';
import { appendEvents } from '../event-log.ts';
import { type Changed, type ChangingEvent, changeMessage, findKnown, type KnownMessage } from './change-message.ts';
import { importedEvent, messageEvent } from './events.ts';
import { type InsertResult, insertMessages, type Recording } from './insert-messages.ts';
import { hasPendingChanges, savePendingChange, takePendingChanges } from './pending-changes.ts';
import type { PreparedEvent } from './prepare-events.ts';
import { openSourceDirectory, type SourceDirectory } from './source-directory.ts';
import { saveTimeline } from './timelines.ts';

/** Records a whole batch in one transaction. Call `onCommitted` once it is committed. */
export function recordBatch(
  tx: Transaction,
  { source, origin, timeline, missedSince }: Omit<Batch, 'events'>,
  events: readonly PreparedEvent[],
  parts: Pick<Recording, 'ids' | 'vocabulary' | 'now'>,
): { recorded: Recorded; directory: SourceDirectory; inserted: InsertResult['inserted']; onCommitted: () => void } {
  const directory = openSourceDirectory(tx, source, { mayRename: origin !== 'older' });
  directory.preload(events.map(({ event }) => event));
  const recording: Recording = {
    tx,
    source,
    origin,
    directory,
    ...(missedSince === undefined ? {} : { missedSince }),
    ...parts,
  };
  const { inserted, onCommitted } = insertMessages(recording, events);
  if (timeline) saveTimeline(tx, source, timeline);
  return { recorded: applyEvents(recording, events, inserted), directory, inserted, onCommitted };
}

/** Applies the events in their order, counts what they did and appends to the event log. */
function applyEvents(
  recording: Recording,
  events: readonly PreparedEvent[],
  inserted: InsertResult['inserted'],
): Recorded {
  const { tx, source, origin, missedSince = Number.POSITIVE_INFINITY, directory, now } = recording;
  const isLive = origin === 'live';
  const recorded = { added: 0, changed: 0, known: 0 };
  const newEvents: NewEvent[] = [];
  let importedCount = 0;
  const mayHavePending = isLive || hasPendingChanges(tx, directory.source);
  for (const { event } of events) {
    if (event.kind === 'chat') continue;
    const isNew = inserted.has(event);
    const isReported = isLive || timestampOf(event) >= missedSince;
    if (isNew) recorded.added += 1;
    if (isNew && !isReported) importedCount += 1;
    if (isNew && !isReported && !mayHavePending) continue;
    const outcome = isNew ? applyNewMessage(recording, event) : applyChange(recording, event);
    if (!isNew) recorded[outcome ? 'changed' : 'known'] += 1;
    if (outcome && isReported) newEvents.push(outcome);
  }
  appendEvents(tx, [...importedEvent(source, importedCount), ...newEvents], now);
  return recorded;
}

function timestampOf(event: ChangingEvent): number {
  return event.kind === 'message' ? event.message.at : event.at;
}

/** Applies pending changes to a new message. Returns its event; none if a pending change deleted it. */
function applyNewMessage(recording: Recording, event: ChangingEvent): NewEvent | undefined {
  const { tx, source, directory } = recording;
  const { chat, message } = findMessage(recording, event);
  if (!chat || !message) return undefined;
  const { message: last } = takePendingChanges(tx, directory.source, chat.id, message.external_id).reduce<Changed>(
    (current, pending) => changeKnown(recording, current.message, pending),
    { message },
  );
  return last.deleted_at === null ? messageEvent('received', { source, chat, message: last }) : undefined;
}

/** Returns the event of a change; none if nothing changed or the message is not known yet. */
function applyChange(recording: Recording, event: ChangingEvent): NewEvent | undefined {
  const { tx, source, directory, now } = recording;
  // The common case of a repeated message: it is identical.
  if (event.kind === 'message' && event.message.editedAt === undefined) return undefined;
  const { chat, message } = findMessage(recording, event);
  if (!chat || !message) {
    if (event.kind !== 'message') savePendingChange(tx, directory.source, event, now);
    return undefined;
  }
  const { change: type, message: changed } = changeKnown(recording, message, event);
  return type && messageEvent(type, { source, chat, message: changed });
}

function findMessage({ tx, directory }: Recording, event: ChangingEvent) {
  const [chatId, messageId] =
    event.kind === 'message' ? [event.message.chat.id, event.message.id] : [event.chat, event.message];
  const chat = directory.knownChat(chatId);
  return { chat, message: chat && findKnown(tx, chat.key, messageId) };
}

/** The terms of edits are few, so the vocabulary's cache is not updated with them. */
function changeKnown({ tx, directory, vocabulary }: Recording, known: KnownMessage, event: ChangingEvent): Changed {
  return changeMessage(tx, known, event, {
    source: directory.source,
    addTerms: (indexed) => void vocabulary.addTerms(tx, [indexed]),
  });
}
