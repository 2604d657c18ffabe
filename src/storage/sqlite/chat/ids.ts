import type { Reader } from '../database.ts';

const TICKS_PER_SECOND = 1_024;
/** The end of the year 9999: what comes after has no date that others can read. */
const LAST_MOMENT = 253_402_300_799_999;
const STRETCHES_KEPT = 64;
const ROWS_AT_ONCE = 512;

/** The nearest moment that can be stored; what is no number at all happened when we heard of it. */
export function toMoment(at: number, now: number): number {
  if (Number.isNaN(at)) return now;
  return Math.trunc(Math.min(Math.max(at, 0), LAST_MOMENT));
}

/** The id that a message of this moment gets when it is free. */
export function idAt(moment: number): number {
  return Math.floor((moment * TICKS_PER_SECOND) / 1_000);
}

export function momentOf(id: number): number {
  return Math.floor((id * 1_000) / TICKS_PER_SECOND);
}

/** Ids as they are shown to others; undefined for what cannot be one. */
export function parseId(id: string): number | undefined {
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Gives ids to the messages of one batch before any of them is stored. */
export interface Ids {
  /** The first free one at the moment or after it, behind everything of the same moment. */
  above(moment: number): number;
  /** The first free one at the moment or before it, in front of everything of the same moment. */
  below(moment: number): number;
}

/** A stretch of ids that are taken, from the first to the one before `to`. */
interface Stretch {
  from: number;
  to: number;
}

/**
 * Stretches that are known to be taken are passed over in one step, so that thousands of messages of one moment do not
 * each walk past all others. That memory may be wrong about what is free, never about what is right: the database is
 * asked about each id.
 */
export function createIdBook(): (reader: Reader) => Ids {
  const stretches: Stretch[] = [];

  function stretchAround(id: number): Stretch {
    const known = stretches.find(({ from, to }) => from <= id && id < to);
    if (known) return known;
    const fresh = { from: id, to: id };
    stretches.unshift(fresh);
    stretches.length = Math.min(stretches.length, STRETCHES_KEPT);
    return fresh;
  }

  return (reader) => {
    const given = new Set<number>();
    const newest = reader.get<{ id: number | null }>('select max(id) as id from messages')?.id ?? 0;
    const isFree = (id: number) => !given.has(id) && (id > newest || !isStored(reader, id));

    function above(moment: number): number {
      const stretch = stretchAround(Math.max(idAt(moment), 1));
      while (!isFree(stretch.to)) stretch.to = given.has(stretch.to) ? stretch.to + 1 : endOfRun(reader, stretch.to, 1);
      given.add(stretch.to);
      stretch.to += 1;
      return stretch.to - 1;
    }

    function below(moment: number): number {
      const stretch = stretchAround(Math.max(idAt(moment), 1));
      let id = stretch.to === stretch.from ? stretch.from : stretch.from - 1;
      while (id > 0 && !isFree(id)) id = given.has(id) ? id - 1 : endOfRun(reader, id, -1);
      // There is nothing before the beginning of time: what belongs there stands right behind it.
      if (id < 1) return above(0);
      given.add(id);
      if (stretch.to === stretch.from) stretch.to += 1;
      stretch.from = id;
      return id;
    }

    return { above, below };
  };
}

function isStored(reader: Reader, id: number): boolean {
  return reader.get('select 1 from messages where id = ?', id) !== undefined;
}

/** The first id after a run of stored ones, as far as one look goes. */
function endOfRun(reader: Reader, start: number, step: 1 | -1): number {
  const sql =
    step === 1
      ? 'select id from messages where id >= ? order by id limit ?'
      : 'select id from messages where id <= ? order by id desc limit ?';
  let end = start;
  for (const { id } of reader.all<{ id: number }>(sql, start, ROWS_AT_ONCE)) {
    if (id !== end) break;
    end += step;
  }
  return end;
}
