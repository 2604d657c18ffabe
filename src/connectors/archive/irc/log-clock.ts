import type { ToInstant } from '../../../lib/local-time.ts';
import { type CalendarDate, dayAfter } from './calendar-date.ts';
import type { Stamp } from './log-stamp.ts';

export interface LogTime {
  at: number;
  /** As written in the log, with its date. */
  written: string;
  /** Whether it is in the zone that the user named. */
  isLocal: boolean;
}

export interface LogClock {
  /** Sets the date, and the time if the line has one. */
  day(date: CalendarDate, clock?: number): void;
  /**
   * Undefined if no date is known yet, or if the date does not exist. A line without a timestamp has the time of the
   * line before.
   */
  timeOf(stamp: Stamp | undefined): LogTime | undefined;
}

export interface LogClockSettings {
  /** The date in the name of the log. */
  named: CalendarDate | undefined;
  /** Hours go from 12 to 1 twice a day, and nothing says which half of the day it is. */
  isTwelveHour: boolean;
}

const HOUR = 3_600;
/**
 * Clocks are set back by an hour; a larger step back means the next day. In a log named after its day only steps at
 * night count.
 */
const STEP_BACK = 2 * HOUR;
const STEP_BACK_WITHIN_DAY = 12 * HOUR;
/** Of a clock with twelve hours, each half of the day begins anew. */
const STEP_BACK_WITHIN_HALF = HOUR;
const MINUTE_MS = 60_000;

/** Tracks the date through a log whose lines mostly have only hours and minutes. */
export function createLogClock(toInstant: ToInstant, { named, isTwelveHour }: LogClockSettings): LogClock {
  let date = named;
  let [last, latest] = [0, Number.NEGATIVE_INFINITY];

  function placeOf(stamp: Stamp, seconds: number): Place | undefined {
    const today = stamp.date ? writtenDate(stamp.date) : date;
    if (!today) return undefined;
    if (isTwelveHour && stamp.isOfHalf !== true && stamp.hour >= 1 && stamp.hour <= 12) {
      const since = isSame(today, date) ? last : 0;
      const [early, late] = [(stamp.hour % 12) - stamp.hour, (stamp.hour % 12) - stamp.hour + 12];
      const goesBack = (shift: number) => seconds + shift * HOUR < since - STEP_BACK_WITHIN_HALF;
      if (!goesBack(early)) return { date: today, shift: early };
      return stamp.date || !goesBack(late) ? { date: today, shift: late } : { date: dayAfter(today), shift: early };
    }
    const isNextDay = !stamp.date && seconds < last - (named ? STEP_BACK_WITHIN_DAY : STEP_BACK);
    return { date: isNextDay ? dayAfter(today) : today, shift: 0 };
  }

  function writtenDate(written: NonNullable<Stamp['date']>): CalendarDate | undefined {
    if ('year' in written) return written;
    if (!date) return undefined;
    // From December to January the year increases.
    return { ...written, year: written.month < date.month - 6 ? date.year + 1 : date.year };
  }

  let before: { clock: Clock; offset?: number } = { clock: { hour: 0, minute: 0, second: 0 } };

  function timeAt(today: CalendarDate, clock: Clock, offset: number | undefined): LogTime | undefined {
    const local = { ...today, ...clock };
    const at = offset === undefined ? toInstant(local, latest) : fromOffset(local, offset);
    if (at === undefined || at < 0) return undefined;
    [date, last, latest] = [today, secondsOf(clock), at];
    before = { clock, ...(offset === undefined ? {} : { offset }) };
    return { at, written: writtenAs(local, offset), isLocal: offset === undefined };
  }

  return {
    day(next, clock = 0) {
      date = next;
      last = clock;
      const minutes = Math.floor(clock / 60);
      before = { clock: { hour: Math.floor(minutes / 60), minute: minutes % 60, second: clock % 60 } };
    },
    timeOf(stamp) {
      if (!stamp) return date && timeAt(date, before.clock, before.offset);
      const { minute, second, offset } = stamp;
      const place = placeOf(stamp, secondsOf(stamp));
      return place && timeAt(place.date, { hour: stamp.hour + place.shift, minute, second }, offset);
    },
  };
}

interface Place {
  date: CalendarDate;
  /** Hours to add to the hour as it is written. */
  shift: number;
}

interface Clock {
  hour: number;
  minute: number;
  second: number;
}

function secondsOf({ hour, minute, second }: Clock): number {
  return (hour * 60 + minute) * 60 + second;
}

function isSame(one: CalendarDate, other: CalendarDate | undefined): boolean {
  return one.year === other?.year && one.month === other.month && one.day === other.day;
}

type Local = CalendarDate & Clock;

function fromOffset({ year, month, day, hour, minute, second }: Local, offset: number): number | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) - offset * MINUTE_MS;
}

function writtenAs({ year, month, day, hour, minute, second }: Local, offset = 0): string {
  return [year, month, day, hour, minute, second, offset].join(' ');
}
