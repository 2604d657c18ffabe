import type { Reader } from '../database.ts';

const TICKS_PER_SECOND = 1_024;
/** The end of the year 9999. Later dates do not fit the ISO 8601 format with four-digit years. */
const MAX_TIMESTAMP = 253_402_300_799_999;
const MAX_RANGES = 64;
const ROWS_PER_READ = 512;

/** The nearest timestamp that can be stored; `now` if it is not a number. */
export function clampTimestamp(at: number, now: number): number {
  if (Number.isNaN(at)) return now;
  return Math.trunc(Math.min(Math.max(at, 0), MAX_TIMESTAMP));
}

/** The id that a message with this timestamp gets if it is free. */
export function idAt(timestamp: number): number {
  return Math.floor((timestamp * TICKS_PER_SECOND) / 1_000);
}

export function timestampOf(id: number): number {
  return Math.floor((id * 1_000) / TICKS_PER_SECOND);
}

/** Undefined if the text is not an id. */
export function parseId(id: string): number | undefined {
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Assigns ids to the messages of one batch before any of them is stored. */
export interface IdAllocator {
  /** The first free id at or above the timestamp's, after all messages with the same timestamp. */
  above(timestamp: number): number;
  /** The first free id at or below the timestamp's, before all messages with the same timestamp. */
  below(timestamp: number): number;
}

/** A range of ids in use; `to` is exclusive. */
interface IdRange {
  from: number;
  to: number;
}

/**
 * Remembers ranges of ids in use, so that thousands of messages with one timestamp do not each scan past all others.
 * A stale range only costs time: whether an id is free is always read from the database.
 */
export function createIdAllocator(): (reader: Reader) => IdAllocator {
  const ranges: IdRange[] = [];

  function rangeAround(id: number): IdRange {
    const known = ranges.find(({ from, to }) => from <= id && id < to);
    if (known) return known;
    const fresh = { from: id, to: id };
    ranges.unshift(fresh);
    ranges.length = Math.min(ranges.length, MAX_RANGES);
    return fresh;
  }

  return (reader) => {
    const assigned = new Set<number>();
    const newest = reader.get<{ id: number | null }>('select max(id) as id from messages')?.id ?? 0;
    const isFree = (id: number) => !assigned.has(id) && (id > newest || !isStored(reader, id));

    function above(timestamp: number): number {
      const range = rangeAround(Math.max(idAt(timestamp), 1));
      while (!isFree(range.to)) range.to = assigned.has(range.to) ? range.to + 1 : endOfStoredRun(reader, range.to, 1);
      assigned.add(range.to);
      range.to += 1;
      return range.to - 1;
    }

    function below(timestamp: number): number {
      const range = rangeAround(Math.max(idAt(timestamp), 1));
      let id = range.to === range.from ? range.from : range.from - 1;
      while (id > 0 && !isFree(id)) id = assigned.has(id) ? id - 1 : endOfStoredRun(reader, id, -1);
      // Ids start at 1: a smaller one is replaced by the first free id above.
      if (id < 1) return above(0);
      assigned.add(id);
      if (range.to === range.from) range.to += 1;
      range.from = id;
      return id;
    }

    return { above, below };
  };
}

function isStored(reader: Reader, id: number): boolean {
  return reader.get('select 1 from messages where id = ?', id) !== undefined;
}

/** The first id after a run of stored ones, within one read. */
function endOfStoredRun(reader: Reader, start: number, step: 1 | -1): number {
  const sql =
    step === 1
      ? 'select id from messages where id >= ? order by id limit ?'
      : 'select id from messages where id <= ? order by id desc limit ?';
  let end = start;
  for (const { id } of reader.all<{ id: number }>(sql, start, ROWS_PER_READ)) {
    if (id !== end) break;
    end += step;
  }
  return end;
}
