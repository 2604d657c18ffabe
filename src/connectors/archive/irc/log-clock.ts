import type { ToInstant } from '../../../lib/local-time.ts';
import { type CalendarDate, dayAfter } from './calendar-date.ts';
import type { Stamp } from './log-line.ts';

export interface LogTime {
  at: number;
  /** As the log writes it, with the day that it is. */
  written: string;
  /** Whether it is a time of the zone that the user named. */
  isLocal: boolean;
}

export interface LogClock {
  /** A line said which day it is, and perhaps what time. */
  day(date: CalendarDate, clock?: number): void;
  /** Undefined where nothing has said which day it is, or where there is no such day. */
  timeOf(stamp: Stamp): LogTime | undefined;
}

const HOUR = 3_600;
/** Clocks are set back by an hour; a step back by more is the next day. In a log that is named after its day only the night is. */
const STEP_BACK = 2 * HOUR;
const STEP_BACK_WITHIN_DAY = 12 * HOUR;
const MINUTE_MS = 60_000;

/** Follows the time through a log whose lines mostly say no more than hours and minutes. */
export function createLogClock(toInstant: ToInstant, named: CalendarDate | undefined): LogClock {
  let date = named;
  let [last, latest] = [0, Number.NEGATIVE_INFINITY];

  function dateOf(stamp: Stamp, seconds: number): CalendarDate | undefined {
    if (!stamp.date) return date && seconds < last - (named ? STEP_BACK_WITHIN_DAY : STEP_BACK) ? dayAfter(date) : date;
    if ('year' in stamp.date) return stamp.date;
    if (!date) return undefined;
    // A log that goes from December to January has come to the next year.
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
