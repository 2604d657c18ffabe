import type { EventFilter, EventLog, NewEvent, StoredEvent } from '../../domain/event-log.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Database, Reader, Transaction } from './database.ts';
import { pruneOldest } from './prune.ts';
import { createPublisher } from './publisher.ts';

const DEFAULT_LIMIT = 1_000;
/** Rows per read when a filter may skip most of them: about two milliseconds of the event loop. */
const ROWS_PER_READ = 2_000;

interface EventRow {
  number: number;
  at: number;
  type: string;
  subject: string;
  data: string;
}

/** For the other stores in this folder: writes events in the same transaction as the change they report. */
export function appendEvents(tx: Transaction, events: readonly NewEvent[], now: number): readonly StoredEvent[] {
  const stored = events.map(({ type, subject, data }) => {
    const text = JSON.stringify(data);
    const row = tx.get<{ number: number }>(
      'insert into events (at, type, subject, data) values (?, ?, ?, ?) returning number',
      now,
      type,
      subject,
      text,
    );
    return toEvent({ number: row?.number ?? 0, at: now, type, subject, data: text });
  });
  tx.events.push(...stored);
  return stored;
}

export function createEventLog(db: Database, { clock, log }: { clock: Clock; log: Log }): EventLog {
  const publisher = createPublisher({
    log,
    after: (number) => db.read((reader) => page(reader, number, Number.MAX_SAFE_INTEGER, {}, DEFAULT_LIMIT)),
  });
  db.onCommit(publisher.publish);
  return {
    append: (events) => db.write((tx) => appendEvents(tx, events, clock.now())),
    read: (after, filter = {}) => readFrom(db, after, filter),
    range: () => db.read((reader) => ({ first: oldestNumber(reader), last: newestNumber(reader) })),
    listen: publisher.listen,
    prune: (before) => pruneOldest(db, 'events', before),
  };
}

async function readFrom(db: Database, after: number, filter: EventFilter): Promise<readonly StoredEvent[]> {
  const limit = filter.limit ?? DEFAULT_LIMIT;
  const { from, newest } = await db.read((reader) => ({
    from: Math.max(after, oldestNumber(reader) - 1),
    newest: newestNumber(reader),
  }));
  const found: StoredEvent[] = [];
  for (let start = from; start < newest && found.length < limit; start += ROWS_PER_READ) {
    const end = Math.min(start + ROWS_PER_READ, newest);
    found.push(...(await db.read((reader) => page(reader, start, end, filter, limit - found.length))));
    if (end < newest && found.length < limit) await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

function page(reader: Reader, after: number, upTo: number, { types }: EventFilter, limit: number): StoredEvent[] {
  const wanted =
    types === undefined
      ? ''
      : `and exists (select 1 from json_each(?) as wanted
           where events.type = wanted.value
              or (substr(wanted.value, -1) = '.' and substr(events.type, 1, length(wanted.value)) = wanted.value))`;
  const values = types === undefined ? [after, upTo] : [after, upTo, JSON.stringify(types)];
  return reader
    .all<EventRow>(
      `select * from events where number > ? and number <= ? ${wanted} order by number limit ?`,
      ...values,
      limit,
    )
    .map(toEvent);
}

function newestNumber(reader: Reader): number {
  return reader.get<{ seq: number }>(`select seq from sqlite_sequence where name = 'events'`)?.seq ?? 0;
}

function oldestNumber(reader: Reader): number {
  return (
    reader.get<{ number: number }>('select number from events order by number limit 1')?.number ??
    newestNumber(reader) + 1
  );
}

function toEvent({ number, at, type, subject, data }: EventRow): StoredEvent {
  return { number, at: new Date(at).toISOString(), type, subject, data: JSON.parse(data) as JsonObject };
}
