import type { Reader } from '../database.ts';

const TICKS_PER_SECOND = 1_024;
/** The end of the year 9999: what comes after has no date that others can read. */
const MAX_TIMESTAMP = 253_402_300_799_999;
const MAX_RANGES = 64;
const ROWS_PER_READ = 512;

/** The nearest moment that can be stored; what is no number at all happened when we heard of it. */
export function clampTimestamp(at: number, now: number): number {
  if (Number.isNaN(at)) return now;
  return Math.trunc(Math.min(Math.max(at, 0), MAX_TIMESTAMP));
}

/** The id that a message of this moment gets when it is free. */
export function idAt(timestamp: number): number {
  return Math.floor((timestamp * TICKS_PER_SECOND) / 1_000);
}

export function timestampOf(id: number): number {
  return Math.floor((id * 1_000) / TICKS_PER_SECOND);
}

/** Ids as they are shown to others; undefined for what cannot be one. */
export function parseId(id: string): number | undefined {
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Gives ids to the messages of one batch before any of them is stored. */
export interface IdAllocator {
  /** The first free one at the moment or after it, behind everything of the same moment. */
  above(timestamp: number): number;
  /** The first free one at the moment or before it, in front of everything of the same moment. */
  below(timestamp: number): number;
}

/** A stretch of ids that are taken, from the first to the one before `to`. */
interface IdRange {
  from: number;
  to: number;
}

/**
 * Stretches that are known to be taken are passed over in one step, so that thousands of messages of one moment do not
 * each walk past all others. That memory may be wrong about what is free, never about what is right: the database is
 * asked about each id.
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
      // There is nothing before the beginning of time: what belongs there stands right behind it.
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

/** The first id after a run of stored ones, as far as one look goes. */
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
