import type { Batch, Recorded } from '../../../chat/ports.ts';
import type { InboundEvent } from '../../../domain/chat.ts';
import type { NewEvent } from '../../../domain/event-log.ts';
import type { Transaction } from '../database.ts';
import { appendEvents } from '../event-log.ts';
import { type Changed, type ChangingEvent, changeMessage, findKnown, type KnownMessage } from './change.ts';
import { openDirectory } from './directory.ts';
import { type Recording, storeMessages } from './drafts.ts';
import { importedEvent, messageEvent } from './events.ts';
import type { PreparedEvent } from './prepare.ts';
import { saveTimeline } from './timelines.ts';
import { hasWaiting, keepForLater, takeWaiting } from './waiting.ts';

/** The whole batch, in one transaction. `committed` is to be called once it is. */
export function recordBatch(
  tx: Transaction,
  { source, origin, timeline, missedSince }: Omit<Batch, 'events'>,
  events: readonly PreparedEvent[],
  parts: Pick<Recording, 'ids' | 'learn' | 'now'>,
): { recorded: Recorded; committed: () => void } {
  const directory = openDirectory(tx, source, { renames: origin !== 'older' });
  directory.expect(events.map(({ event }) => event));
  const recording: Recording = {
    tx,
    source,
    origin,
    directory,
    ...(missedSince === undefined ? {} : { missedSince }),
    ...parts,
  };
  const { fresh, committed } = storeMessages(recording, events);
  if (timeline) saveTimeline(tx, source, timeline);
  return { recorded: follow(recording, events, fresh), committed };
}

/** In the order in which it happened: what happened to each message, and what is told of it. */
function follow(recording: Recording, events: readonly PreparedEvent[], fresh: ReadonlySet<InboundEvent>): Recorded {
  const { tx, source, origin, missedSince = Number.POSITIVE_INFINITY, directory, now } = recording;
  const isLive = origin === 'live';
  const recorded = { added: 0, changed: 0, known: 0 };
  const news: NewEvent[] = [];
  let untold = 0;
  const isAwaited = isLive || hasWaiting(tx, directory.source);
  for (const { event } of events) {
    if (event.kind === 'chat') continue;
    const isFresh = fresh.has(event);
    const isNews = isLive || momentOf(event) >= missedSince;
    if (isFresh) recorded.added += 1;
    if (isFresh && !isNews) untold += 1;
    if (isFresh && !isNews && !isAwaited) continue;
    const outcome = isFresh ? receive(recording, event) : change(recording, event);
    if (!isFresh) recorded[outcome ? 'changed' : 'known'] += 1;
    if (outcome && isNews) news.push(outcome);
  }
  appendEvents(tx, [...importedEvent(source, untold), ...news], now);
  return recorded;
}

function momentOf(event: ChangingEvent): number {
  return event.kind === 'message' ? event.message.at : event.at;
}

/** News of a message that is new, after what has waited for it; none where that was its deletion. */
function receive(recording: Recording, event: ChangingEvent): NewEvent | undefined {
  const { tx, source, directory } = recording;
  const { chat, message } = findMessage(recording, event);
  if (!chat || !message) return undefined;
  const { message: last } = takeWaiting(tx, directory.source, chat.id, message.external_id).reduce<Changed>(
    (current, waiting) => changeTo(recording, current.message, waiting),
    { message },
  );
  return last.deleted_at === null ? messageEvent('received', { source, chat, message: last }) : undefined;
}

/** News of a change; none where nothing changed, or not yet. */
function change(recording: Recording, event: ChangingEvent): NewEvent | undefined {
  const { tx, source, directory, now } = recording;
  // Most of what comes again: it is the same.
  if (event.kind === 'message' && event.message.editedAt === undefined) return undefined;
  const { chat, message } = findMessage(recording, event);
  if (!chat || !message) {
    if (event.kind !== 'message') keepForLater(tx, directory.source, event, now);
    return undefined;
  }
  const { change: type, message: changed } = changeTo(recording, message, event);
  return type && messageEvent(type, { source, chat, message: changed });
}

function findMessage({ tx, directory }: Recording, event: ChangingEvent) {
  const [chatId, messageId] =
    event.kind === 'message' ? [event.message.chat.id, event.message.id] : [event.chat, event.message];
  const chat = directory.knownChat(chatId);
  return { chat, message: chat && findKnown(tx, chat.key, messageId) };
}

/** Words of edits are few: they need not be remembered. */
function changeTo({ tx, directory, learn }: Recording, known: KnownMessage, event: ChangingEvent): Changed {
  return changeMessage(tx, known, event, { source: directory.source, learn: (terms) => void learn(tx, [terms]) });
}
