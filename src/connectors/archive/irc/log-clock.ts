import type { ToInstant } from '../../../lib/local-time.ts';
import { type CalendarDate, dayAfter } from './calendar-date.ts';
import type { Stamp } from './log-line.ts';

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
  /** Undefined if no date is known yet, or if the date does not exist. */
  timeOf(stamp: Stamp): LogTime | undefined;
}

const HOUR = 3_600;
/**
 * Clocks are set back by an hour; a larger step back means the next day. In a log named after its day only steps at
 * night count.
 */
const STEP_BACK = 2 * HOUR;
const STEP_BACK_WITHIN_DAY = 12 * HOUR;
const MINUTE_MS = 60_000;

/** Tracks the date through a log whose lines mostly have only hours and minutes. */
export function createLogClock(toInstant: ToInstant, named: CalendarDate | undefined): LogClock {
  let date = named;
  let [last, latest] = [0, Number.NEGATIVE_INFINITY];

  function dateOf(stamp: Stamp, seconds: number): CalendarDate | undefined {
    if (!stamp.date) return date && seconds < last - (named ? STEP_BACK_WITHIN_DAY : STEP_BACK) ? dayAfter(date) : date;
    if ('year' in stamp.date) return stamp.date;
    if (!date) return undefined;
    // From December to January the year increases.
    return { ...stamp.date, year: stamp.date.month < date.month - 6 ? date.year + 1 : date.year };
  }

  return {
    day(next, clock = 0) {
      date = next;
      last = clock;
    },
    timeOf(stamp) {
      const { hour, minute, second, offset } = stamp;
      const seconds = (hour * 60 + minute) * 60 + second;
      const today = dateOf(stamp, seconds);
      if (!today) return undefined;
      const local = { ...today, hour, minute, second };
      const at = offset === undefined ? toInstant(local, latest) : fromOffset(local, offset);
      if (at === undefined || at < 0) return undefined;
      [date, last, latest] = [today, seconds, at];
      return { at, written: writtenAs(local, offset), isLocal: offset === undefined };
    },
  };
}

type Local = CalendarDate & { hour: number; minute: number; second: number };

function fromOffset({ year, month, day, hour, minute, second }: Local, offset: number): number | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) - offset * MINUTE_MS;
}

function writtenAs({ year, month, day, hour, minute, second }: Local, offset = 0): string {
  return [year, month, day, hour, minute, second, offset].join(' ');
}
